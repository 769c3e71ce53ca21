#include "app/schema_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "api/access.h"
#include "api/registry.h"
#include "async/block_on.h"
#include "base/log.h"
#include "base/unavailable.h"
#include "cli/failure.h"
#include "cli/schema_files.h"
#include "http/request_id.h"
#include "http/target.h"
#include "json/escape.h"
#include "json/parse.h"

namespace millrace::app {
namespace {

namespace fs = std::filesystem;

// A person who saved a file waits no longer than this; looking costs a few system calls.
constexpr auto kLookInterval = std::chrono::seconds(2);

std::string json_text(std::string_view text) {
  std::string out;
  json::append_string(out, text);
  return out;
}

void add_state(const fs::path& folder, FolderState& state) {
  std::error_code error;
  for (auto at = fs::directory_iterator(folder, error); !error && at != fs::directory_iterator(); at.increment(error)) {
    if (!registry::is_schema_file(at->path().filename().string())) continue;
    std::error_code gone;
    const auto changed = at->last_write_time(gone).time_since_epoch();
    const std::uintmax_t size = at->file_size(gone);
    if (!gone) state[at->path().string()] = {static_cast<std::int64_t>(changed.count()), size};
  }
}

std::size_t count_of(json::Value pushed, std::string_view name) {
  const auto member = pushed.find(name);
  return member ? static_cast<std::size_t>(member->as_int64().value_or(0)) : 0;
}

void log_loaded(const std::string& folder, const std::string& answer, std::size_t refused) {
  const auto pushed = json::parse(answer);
  if (!pushed) return;
  spdlog::info(R"("msg":"schemas loaded","folder":{},"created":{},"updated":{},"unchanged":{},"refused":{})",
               json_text(folder), count_of(pushed->root(), "created"), count_of(pushed->root(), "updated"),
               count_of(pushed->root(), "unchanged"), refused);
}

}  // namespace

FolderState look_at_folder(const std::string& folder) {
  FolderState state;
  add_state(folder, state);
  add_state(fs::path(folder) / "events", state);
  return state;
}

std::vector<registry::FileProblem> refused_files(std::string_view problem) {
  std::vector<registry::FileProblem> refused;
  const auto document = json::parse(problem);
  const auto errors = document ? document->root().find("errors") : std::nullopt;
  if (!errors || !errors->is(json::Kind::array)) return refused;
  for (const json::Value error : errors->elements()) {
    const auto field = error.find("field");
    const auto message = error.find("message");
    if (!field || !message || !field->is(json::Kind::string) || !message->is(json::Kind::string)) continue;
    refused.push_back({field->get_string(), message->get_string()});
  }
  return refused;
}

SchemaFolder::SchemaFolder(std::string folder, api::Services& services, async::IoThreads& io)
    : folder_(std::move(folder)), services_(services), io_(io), loaded_(look_at_folder(folder_)), done_(load()) {
  thread_ = std::thread([this] { watch(); });
}

SchemaFolder::~SchemaFolder() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  ended_.notify_all();
  thread_.join();
}

void SchemaFolder::watch() {
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, kLookInterval, [this] { return ending_; })) {
    lock.unlock();
    // Looked at before it is read: what changes meanwhile is seen as a change the next time.
    FolderState state = look_at_folder(folder_);
    if (!done_ || state != loaded_) {
      done_ = load();
      loaded_ = std::move(state);
    }
    lock.lock();
  }
}

bool SchemaFolder::load() {
  try {
    const std::vector<registry::SchemaFile> files = cli::read_schema_files(folder_);
    if (files.empty()) spdlog::warn(R"("msg":"there are no schemas in the folder","folder":{})", json_text(folder_));
    bool done = true;
    for (const auto request : cli::in_requests(files)) done = register_files({request.begin(), request.end()}) && done;
    return done;
  } catch (const cli::Failure& failure) {
    spdlog::warn(R"("msg":"schemas were not loaded","folder":{},"why":{})", json_text(folder_),
                 json_text(failure.what()));
    return true;
  } catch (const std::exception& error) {
    spdlog::warn(R"("msg":"schemas were not loaded; trying again","folder":{},"why":{})", json_text(folder_),
                 json_text(error.what()));
    return false;
  }
}

bool SchemaFolder::register_files(std::vector<registry::SchemaFile> files) {
  std::size_t refused = 0;
  // A push is all or nothing, so what is refused is left out and the others are pushed again.
  while (!files.empty()) {
    const http::Response response = push(files);
    if (response.status < 300) {
      log_loaded(folder_, response.body, refused);
      return true;
    }
    const auto problems = refused_files(response.body);
    const auto left_out = std::erase_if(files, [&](const registry::SchemaFile& file) {
      return std::ranges::find(problems, file.name, &registry::FileProblem::file) != problems.end();
    });
    if (left_out == 0) {
      spdlog::warn(R"("msg":"schemas were not loaded","folder":{},"why":{})", json_text(folder_),
                   json_text(response.body));
      return response.status < 500 && response.status != 429;
    }
    for (const registry::FileProblem& problem : problems) {
      spdlog::warn(R"("msg":"a schema was not loaded","file":{},"why":{})", json_text(problem.file),
                   json_text(problem.message));
    }
    refused += left_out;
  }
  return true;
}

http::Response SchemaFolder::push(const std::vector<registry::SchemaFile>& files) {
  http::Request request;
  request.head.method = http::Method::post;
  request.head.target = "/api/schemas";
  request.target = *http::parse_target(request.head.target);
  request.body = cli::push_body(files);
  request.request_id = http::make_request_id();
  request.correlation_id = request.request_id;
  request.principal = std::make_shared<api::Caller>(TenantId::default_tenant(), api::Scopes::all(), "schema-folder");
  auto answer = async::block_on(io_.at(0), api::push_schemas(services_, request));
  return answer ? *std::move(answer) : http::error_response(answer.error());
}

}  // namespace millrace::app
