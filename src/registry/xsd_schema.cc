#include "registry/xsd_schema.h"

#include <fmt/format.h>
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <libxml/xmlschemas.h>

#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include "registry/bounds.h"
#include "registry/xsd_cost.h"

namespace millrace::registry {
namespace {

// Each path repeats the names around it, so a deep schema could write far more than it is long.
constexpr std::size_t kPathBytesMax = 8 * 1024 * 1024;
constexpr std::string_view kSchemaSpace = "http://www.w3.org/2001/XMLSchema";
constexpr std::string_view kInstanceSpace = "http://www.w3.org/2001/XMLSchema-instance";

template <auto Free>
struct Freed {
  void operator()(auto* pointer) const { Free(pointer); }
};
using DocumentPtr = std::unique_ptr<xmlDoc, Freed<xmlFreeDoc>>;
using ParserPtr = std::unique_ptr<xmlParserCtxt, Freed<xmlFreeParserCtxt>>;
using SchemaPtr = std::unique_ptr<xmlSchema, Freed<xmlSchemaFree>>;
using SchemaParserPtr = std::unique_ptr<xmlSchemaParserCtxt, Freed<xmlSchemaFreeParserCtxt>>;
using ValidationPtr = std::unique_ptr<xmlSchemaValidCtxt, Freed<xmlSchemaFreeValidCtxt>>;

std::string_view text_of(const xmlChar* text) {
  return text == nullptr ? std::string_view() : reinterpret_cast<const char*>(text);
}

xmlParserInputPtr load_nothing(const char*, const char*, xmlParserCtxtPtr) { return nullptr; }

// Once for the program: tables that threads share, and a loader that never loads, for every way that libxml2
// may find to ask for a file or an address.
void prepare_library() {
  static std::once_flag once;
  std::call_once(once, [] {
    xmlInitParser();
    xmlSetExternalEntityLoader(load_nothing);
  });
}

std::string trimmed(const char* message) {
  std::string_view text = message == nullptr ? "unknown" : message;
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  return std::string(text);
}

std::string describe(const xmlError& error) {
  std::string message = trimmed(error.message);
  return error.line > 0 ? fmt::format("line {}: {}", error.line, message) : message;
}

// The messages of one run; libxml2 calls back with the address of this.
struct Messages {
  std::vector<std::string> list;

  static void add(void* self, xmlErrorPtr error) {
    auto& messages = *static_cast<Messages*>(self);
    if (error->level >= XML_ERR_ERROR && messages.list.size() < kViolationsMax) {
      messages.list.push_back(describe(*error));
    }
  }
};

// A DTD could define entities that grow without end or name files; no document needs one here.
void refuse_dtd(void* parser, const xmlChar*, const xmlChar*, const xmlChar*) {
  auto* context = static_cast<xmlParserCtxtPtr>(parser);
  context->_private = context;  // the mark that parse_xml() looks for
  xmlStopParser(context);
}

std::expected<DocumentPtr, std::string> parse_xml(std::string_view text) {
  const ParserPtr parser(xmlNewParserCtxt());
  if (!parser) throw std::bad_alloc();
  parser->sax->internalSubset = refuse_dtd;
  constexpr int kOptions = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_BIG_LINES;
  DocumentPtr document(
      xmlCtxtReadMemory(parser.get(), text.data(), static_cast<int>(text.size()), nullptr, nullptr, kOptions));
  if (parser->_private != nullptr) return std::unexpected("a DTD is not allowed");
  if (document && parser->wellFormed != 0) return document;
  const xmlError* error = xmlCtxtGetLastError(parser.get());
  return std::unexpected(error == nullptr ? "is no XML document" : describe(*error));
}

bool is_schema_element(const xmlNode& node) {
  return node.type == XML_ELEMENT_NODE && node.ns != nullptr && text_of(node.ns->href) == kSchemaSpace;
}

// The next node of the tree in document order, without recursion.
xmlNode* next_node(xmlNode* node) {
  if (node->type == XML_ELEMENT_NODE && node->children != nullptr) return node->children;
  while (node != nullptr && node->next == nullptr) node = node->parent;
  return node == nullptr ? nullptr : node->next;
}

std::optional<std::string> find_import(xmlDoc& document) {
  for (xmlNode* node = xmlDocGetRootElement(&document); node != nullptr; node = next_node(node)) {
    const std::string_view name = text_of(node->name);
    if (is_schema_element(*node) &&
        (name == "import" || name == "include" || name == "redefine" || name == "override")) {
      return fmt::format("line {}: {} is not allowed, a schema stands alone", xmlGetLineNo(node), name);
    }
  }
  return std::nullopt;
}

// libxml2 would load what xsi:schemaLocation names and believe it.
void drop_location_hints(xmlDoc& document) {
  for (xmlNode* node = xmlDocGetRootElement(&document); node != nullptr; node = next_node(node)) {
    if (node->type != XML_ELEMENT_NODE) continue;
    for (xmlAttr* attribute = node->properties; attribute != nullptr;) {
      xmlAttr* next = attribute->next;
      const std::string_view name = text_of(attribute->name);
      const bool hint = name == "schemaLocation" || name == "noNamespaceSchemaLocation";
      if (hint && attribute->ns != nullptr && text_of(attribute->ns->href) == kInstanceSpace) xmlRemoveProp(attribute);
      attribute = next;
    }
  }
}

std::string attribute_of(xmlNode& node, const char* name) {
  xmlChar* value = xmlGetNoNsProp(&node, reinterpret_cast<const xmlChar*>(name));
  std::string text(text_of(value));
  xmlFree(value);
  return text;
}

bool is_declaration(const xmlNode& node) {
  if (!is_schema_element(node)) return false;
  const std::string_view name = text_of(node.name);
  return name == "element" || name == "attribute" || name == "complexType" || name == "simpleType" || name == "group" ||
         name == "attributeGroup";
}

// The names of the declarations around a node, and its own.
std::string path_of(xmlNode& node) {
  std::string path;
  for (xmlNode* at = &node; at != nullptr && at->type == XML_ELEMENT_NODE; at = at->parent) {
    if (!is_declaration(*at)) continue;
    std::string name = attribute_of(*at, "name");
    if (name.empty()) name = attribute_of(*at, "ref");
    if (name.empty()) continue;
    path.insert(0, fmt::format("/{}{}", text_of(at->name) == "attribute" ? "@" : "", name));
  }
  return path;
}

bool is_at_top(const xmlNode& node) { return node.parent != nullptr && text_of(node.parent->name) == "schema"; }

std::unexpected<Error> refuse(std::string detail) { return fail(Errc::invalid, std::move(detail), "schema"); }

Result<XsdShape> describe(xmlDoc& document) {
  XsdShape shape;
  std::size_t path_bytes = 0;
  for (xmlNode* node = xmlDocGetRootElement(&document); node != nullptr; node = next_node(node)) {
    if (!is_schema_element(*node)) continue;
    const std::string_view kind = text_of(node->name);
    if (kind == "element" || kind == "attribute") {
      const bool element = kind == "element";
      const bool in_choice = node->parent != nullptr && text_of(node->parent->name) == "choice";
      const bool required = element ? attribute_of(*node, "minOccurs") != "0" && !is_at_top(*node) && !in_choice
                                    : attribute_of(*node, "use") == "required";
      shape.push_back({path_of(*node), std::string(kind), attribute_of(*node, "type"), required,
                       element ? attribute_of(*node, "maxOccurs") : ""});
    } else if (node->parent != nullptr && is_schema_element(*node->parent) &&
               text_of(node->parent->name) == "restriction" && !attribute_of(*node, "value").empty()) {
      shape.push_back({path_of(*node), std::string(kind), attribute_of(*node, "value"), false, ""});
    } else {
      continue;
    }
    path_bytes += shape.back().path.size();
    if (path_bytes > kPathBytesMax) return refuse("has names that are too long for how deep they nest");
  }
  return shape;
}

// What XsdDefinitions calls the definition that a QName means; empty for what XML Schema itself defines.
std::string name_of(xmlNode& node, std::string_view kind, std::string_view qname) {
  const std::size_t colon = qname.find(':');
  const std::string prefix(colon == qname.npos ? "" : qname.substr(0, colon));
  const auto* space =
      xmlSearchNs(node.doc, &node, prefix.empty() ? nullptr : reinterpret_cast<const xmlChar*>(prefix.c_str()));
  if (qname.empty() || (space != nullptr && text_of(space->href) == kSchemaSpace)) return {};
  return fmt::format("{} {}", kind, colon == qname.npos ? qname : qname.substr(colon + 1));
}

std::string name_of_own(xmlNode& node) {
  const std::string_view kind = text_of(node.name);
  const bool type = kind == "complexType" || kind == "simpleType";
  return fmt::format("{} {}", type ? "type" : kind, attribute_of(node, "name"));
}

// The definition whose parts a node belongs to: one at the top, or the type that stands inside an element.
std::string owner_of(xmlNode& node) {
  for (xmlNode* at = &node; at->parent != nullptr && at->parent->type == XML_ELEMENT_NODE; at = at->parent) {
    if (is_at_top(*at)) return name_of_own(*at);
    const std::string_view kind = text_of(at->name);
    const std::string_view around = text_of(at->parent->name);
    const bool type = kind == "complexType" || kind == "simpleType";
    if (type && (around == "element" || around == "attribute")) return fmt::format("inner {}", fmt::ptr(at));
  }
  return {};
}

void define_member(xmlNode& element, XsdDefinitions& definitions) {
  const std::string head = name_of(element, "element", attribute_of(element, "substitutionGroup"));
  if (head.empty()) return;
  ++definitions[head].parts;
  definitions[head].uses.push_back(name_of_own(element));
}

void define_part(xmlNode& node, XsdDefinitions& definitions) {
  const std::string_view kind = text_of(node.name);
  XsdDefinition& owner = definitions[owner_of(node)];
  const auto use = [&](std::string_view what, std::string_view qname) {
    if (std::string name = name_of(node, what, qname); !name.empty()) owner.uses.push_back(std::move(name));
  };
  if (kind == "element" || kind == "attribute" || kind == "any" || kind == "anyAttribute") ++owner.parts;
  if (kind == "element" || kind == "group" || kind == "attributeGroup") use(kind, attribute_of(node, "ref"));
  if (kind == "extension" || kind == "restriction") use("type", attribute_of(node, "base"));
  if (kind == "list") use("type", attribute_of(node, "itemType"));
  if (kind == "union") {
    std::istringstream members(attribute_of(node, "memberTypes"));
    for (std::string member; members >> member; ++owner.parts) use("type", member);
  }
  // A pattern has an automaton of its own; at least every other character of it may be an optional part.
  if (kind == "pattern")
    definitions[fmt::format("pattern {}", fmt::ptr(&node))].parts = attribute_of(node, "value").size() / 2;
}

XsdDefinitions definitions_of(xmlDoc& document) {
  XsdDefinitions definitions;
  for (xmlNode* node = xmlDocGetRootElement(&document); node != nullptr; node = next_node(node)) {
    if (!is_schema_element(*node)) continue;
    if (!is_at_top(*node)) {
      define_part(*node, definitions);
    } else if (text_of(node->name) == "element") {
      define_member(*node, definitions);
    }
  }
  return definitions;
}

}  // namespace

struct XsdSchema::Parsed {
  SchemaPtr schema;
  XsdShape shape;
  // libxml2 does not promise that validations may share a schema at the same time.
  mutable std::mutex one_at_a_time;
};

XsdSchema::XsdSchema(std::unique_ptr<const Parsed> parsed) : parsed_(std::move(parsed)) {}
XsdSchema::~XsdSchema() = default;

Result<std::shared_ptr<const XsdSchema>> XsdSchema::compile(std::string_view text) {
  prepare_library();
  if (text.size() > kSchemaBytesMax) return refuse(fmt::format("is longer than {} bytes", kSchemaBytesMax));
  const auto document = parse_xml(text);
  if (!document) return refuse(document.error());
  if (auto import = find_import(**document)) return refuse(std::move(*import));
  if (auto excess = find_excess(definitions_of(**document))) return refuse(std::move(*excess));
  auto shape = describe(**document);
  if (!shape) return std::unexpected(shape.error());
  auto parsed = std::make_unique<Parsed>();
  parsed->shape = std::move(*shape);
  Messages messages;
  const SchemaParserPtr parser(xmlSchemaNewDocParserCtxt(document->get()));
  if (!parser) throw std::bad_alloc();
  xmlSchemaSetParserStructuredErrors(parser.get(), Messages::add, &messages);
  // The schema takes over what it needs of the document.
  parsed->schema.reset(xmlSchemaParse(parser.get()));
  if (!parsed->schema) return refuse(messages.list.empty() ? "is no XML Schema" : messages.list.front());
  return std::shared_ptr<const XsdSchema>(new XsdSchema(std::move(parsed)));
}

std::vector<Violation> XsdSchema::check(json::Value payload) const {
  if (payload.is(json::Kind::string)) return check_xml(payload.get_string());
  return {{"", fmt::format("must be XML in a string, but it is {}", json::describe(payload.kind()))}};
}

std::vector<Violation> XsdSchema::check_xml(std::string_view xml) const {
  if (xml.size() > kXmlBytesMax) return {{"", fmt::format("is longer than {} bytes", kXmlBytesMax)}};
  const auto document = parse_xml(xml);
  if (!document) return {{"", document.error()}};
  drop_location_hints(**document);
  Messages messages;
  int result = 0;
  {
    const std::lock_guard lock(parsed_->one_at_a_time);
    const ValidationPtr validation(xmlSchemaNewValidCtxt(parsed_->schema.get()));
    if (!validation) throw std::bad_alloc();
    xmlSchemaSetValidStructuredErrors(validation.get(), Messages::add, &messages);
    result = xmlSchemaValidateDoc(validation.get(), document->get());
  }
  if (result == 0) return {};
  std::vector<Violation> violations;
  for (std::string& message : messages.list) violations.push_back({"", std::move(message)});
  if (violations.empty()) violations.push_back({"", "does not fit the schema"});
  return violations;
}

const XsdShape& XsdSchema::shape() const { return parsed_->shape; }

}  // namespace millrace::registry
