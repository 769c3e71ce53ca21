#include "registry/proto_schema.h"

#include <fmt/format.h>
#include <google/protobuf/any.pb.h>
#include <google/protobuf/compiler/parser.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/duration.pb.h>
#include <google/protobuf/empty.pb.h>
#include <google/protobuf/field_mask.pb.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/timestamp.pb.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/type_resolver.h>
#include <google/protobuf/util/type_resolver_util.h>
#include <google/protobuf/wrappers.pb.h>

#include <algorithm>
#include <utility>

#include "registry/bounds.h"
#include "registry/flat_schema.h"

namespace millrace::registry {
namespace {

namespace pb = google::protobuf;
// A directive, so that the rule against empty names does not take the library's choice for ours.
#define MILLRACE_PROTOBUF_JSON google::protobuf::util
namespace pb_json = MILLRACE_PROTOBUF_JSON;
#undef MILLRACE_PROTOBUF_JSON

// libprotobuf's parser recurses once a brace.
constexpr int kBraceDepthMax = 32;
constexpr std::string_view kFileName = "schema.proto";
// Under another name libprotobuf would not know the well-known types; nothing is fetched from it.
constexpr std::string_view kTypeUrl = "type.googleapis.com";

std::unexpected<Error> refuse(std::string detail) { return fail(Errc::invalid, std::move(detail), "schema"); }

// Keeps the first error with its place.
class SyntaxErrors final : public pb::io::ErrorCollector {
 public:
  void AddError(int line, int column, const std::string& message) override {
    if (first.empty()) first = fmt::format("line {}, column {}: {}", line + 1, column + 1, message);
  }
  std::string first;
};

class MeaningErrors final : public pb::DescriptorPool::ErrorCollector {
 public:
  void AddError(const std::string&, const std::string& element, const pb::Message*, ErrorLocation,
                const std::string& message) override {
    if (first.empty()) first = fmt::format("{}: {}", element, message);
  }
  std::string first;
};

// Makes sure that the descriptors of the well-known types are in the program, which a linker could leave out.
std::vector<const pb::FileDescriptor*> well_known_files() {
  return {pb::Any::descriptor()->file(),        pb::Duration::descriptor()->file(), pb::Empty::descriptor()->file(),
          pb::FieldMask::descriptor()->file(),  pb::Struct::descriptor()->file(),   pb::Timestamp::descriptor()->file(),
          pb::StringValue::descriptor()->file()};
}

bool is_well_known_file(const std::string& name) {
  static const auto files = well_known_files();
  return std::ranges::any_of(files, [&](const pb::FileDescriptor* file) { return file->name() == name; });
}

// By the parser's own tokens, so that no string or comment can hide a brace. A brace that closes nothing is an error,
// after which the parser goes on.
bool is_too_deep(std::string_view text) {
  pb::io::ArrayInputStream stream(text.data(), static_cast<int>(text.size()));
  SyntaxErrors ignored;
  pb::io::Tokenizer tokenizer(&stream, &ignored);
  int depth = 0;
  while (tokenizer.Next()) {
    if (tokenizer.current().text == "{" && ++depth > kBraceDepthMax) return true;
    if (tokenizer.current().text == "}") depth = std::max(depth - 1, 0);
  }
  return false;
}

Result<pb::FileDescriptorProto> parse_text(std::string_view text) {
  pb::io::ArrayInputStream stream(text.data(), static_cast<int>(text.size()));
  SyntaxErrors errors;
  pb::io::Tokenizer tokenizer(&stream, &errors);
  pb::compiler::Parser parser;
  parser.RecordErrorsTo(&errors);
  pb::FileDescriptorProto file;
  const bool good = parser.Parse(&tokenizer, &file);
  if (!good || !errors.first.empty()) return refuse(errors.first.empty() ? "cannot be parsed" : errors.first);
  file.set_name(std::string(kFileName));
  for (const std::string& import : file.dependency()) {
    if (!is_well_known_file(import))
      return refuse(fmt::format("\"{}\" cannot be imported, only well-known types", import));
  }
  return file;
}

Result<const pb::Descriptor*> choose_message(const pb::FileDescriptor& file, const pb::DescriptorPool& pool,
                                             std::string_view message) {
  if (message.empty()) {
    if (file.message_type_count() == 1) return file.message_type(0);
    return refuse(
        fmt::format("has {} messages at top level; name one of them in \"message\"", file.message_type_count()));
  }
  const std::string name(message);
  const pb::Descriptor* found = pool.FindMessageTypeByName(name);
  if (found == nullptr && !file.package().empty()) found = pool.FindMessageTypeByName(file.package() + "." + name);
  if (found != nullptr && found->file() == &file) return found;
  return refuse(fmt::format("has no message {}", name));
}

ProtoField describe(const pb::FieldDescriptor& field) {
  ProtoField out{
      .name = field.json_name(), .text_name = field.name(), .number = field.number(), .type = field.type_name()};
  out.label = field.is_map() ? "map" : field.is_repeated() ? "repeated" : field.is_required() ? "required" : "optional";
  if (field.message_type() != nullptr) out.of = field.message_type()->full_name();
  if (field.enum_type() != nullptr) out.of = field.enum_type()->full_name();
  // Without the ones that proto3 makes up for optional fields.
  if (field.real_containing_oneof() != nullptr) out.oneof = field.real_containing_oneof()->name();
  return out;
}

void describe(const pb::EnumDescriptor& type, ProtoShape& shape) {
  auto& values = shape.enums[type.full_name()];
  for (int i = 0; i < type.value_count(); ++i) values[type.value(i)->name()] = type.value(i)->number();
}

// The message and all that it reaches. A worklist, because types may nest as deep as there are types.
ProtoShape describe(const pb::Descriptor& root) {
  ProtoShape shape{.root = root.full_name(), .messages = {}, .enums = {}};
  std::vector<const pb::Descriptor*> open{&root};
  while (!open.empty()) {
    const pb::Descriptor& message = *open.back();
    open.pop_back();
    auto [entry, added] = shape.messages.try_emplace(message.full_name());
    if (!added) continue;
    for (int i = 0; i < message.field_count(); ++i) {
      const pb::FieldDescriptor& field = *message.field(i);
      entry->second.push_back(describe(field));
      if (field.enum_type() != nullptr) describe(*field.enum_type(), shape);
      // A well-known type is what its name says.
      if (field.message_type() != nullptr && !is_well_known_file(field.message_type()->file()->name())) {
        open.push_back(field.message_type());
      }
    }
  }
  return shape;
}

// libprotobuf says "(lines[0].sku): invalid value …" and names types in its own way.
Violation to_violation(std::string_view status) {
  const std::size_t close = status.find(')');
  if (!status.starts_with('(') || close == status.npos) return {{}, std::string(status)};
  std::string pointer;
  std::string token;
  const auto end_token = [&] {
    if (!token.empty()) pointer = pointer_to(pointer, std::exchange(token, {}));
  };
  for (const char c : status.substr(1, close - 1)) {
    if (c == '.' || c == '[' || c == ']') {
      end_token();
    } else if (c != '"') {
      token += c;
    }
  }
  end_token();
  status.remove_prefix(close + 1);
  status.remove_prefix(std::min(status.find_first_not_of(": "), status.size()));
  std::string message(status);
  if (const std::size_t url = message.find(kTypeUrl); url != message.npos) message.erase(url, kTypeUrl.size() + 1);
  return {std::move(pointer), std::move(message)};
}

}  // namespace

struct ProtoSchema::Parsed {
  pb::DescriptorPool pool{pb::DescriptorPool::generated_pool()};
  std::unique_ptr<pb_json::TypeResolver> resolver;
  ProtoShape shape;
};

ProtoSchema::ProtoSchema(std::unique_ptr<const Parsed> parsed) : parsed_(std::move(parsed)) {}
ProtoSchema::~ProtoSchema() = default;

Result<std::shared_ptr<const ProtoSchema>> ProtoSchema::compile(std::string_view text, std::string_view message) {
  if (text.size() > kSchemaBytesMax) return refuse(fmt::format("is longer than {} bytes", kSchemaBytesMax));
  if (is_too_deep(text)) return refuse(fmt::format("nests more than {} levels", kBraceDepthMax));
  const pb::LogSilencer silencer;  // it would write to stderr what the collectors get
  auto file = parse_text(text);
  if (!file) return std::unexpected(file.error());
  auto parsed = std::make_unique<Parsed>();
  MeaningErrors errors;
  const pb::FileDescriptor* built = parsed->pool.BuildFileCollectingErrors(*file, &errors);
  if (built == nullptr) return refuse(errors.first.empty() ? "cannot be built" : errors.first);
  const auto root = choose_message(*built, parsed->pool, message);
  if (!root) return std::unexpected(root.error());
  parsed->shape = describe(**root);
  parsed->resolver.reset(pb_json::NewTypeResolverForDescriptorPool(std::string(kTypeUrl), &parsed->pool));
  return std::shared_ptr<const ProtoSchema>(new ProtoSchema(std::move(parsed)));
}

// The resolver reads the pool only, which is safe from any thread.
std::optional<Violation> ProtoSchema::refusal_of(const std::string& message, const std::string& payload) const {
  std::string binary;
  const auto status = pb_json::JsonToBinaryString(parsed_->resolver.get(), fmt::format("{}/{}", kTypeUrl, message),
                                                  payload, &binary, pb_json::JsonParseOptions());
  if (status.ok()) return std::nullopt;
  return to_violation(std::string_view(status.message().data(), status.message().size()));
}

std::vector<Violation> ProtoSchema::check(json::Value payload) const {
  // libprotobuf overlooks some things (an object where a list belongs).
  const bool has_shape = check_shape(parsed_->shape, payload).empty();
  auto refused = has_shape ? refusal_of(parsed_->shape.root, std::string(payload.raw())) : std::nullopt;
  if (has_shape && !refused) return {};
  // And it tells one violation only: to find the others, each value is judged by itself.
  auto violations = check_values(parsed_->shape, payload, [this](const std::string& message, const std::string& alone) {
    auto why = refusal_of(message, alone);
    return why ? std::move(why->message) : std::string();
  });
  if (violations.empty()) violations.push_back(*std::move(refused));
  return violations;
}

const ProtoShape& ProtoSchema::shape() const { return parsed_->shape; }

}  // namespace millrace::registry
