#include "http/router.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/assert.h"

namespace millrace::http {

struct Router::Node {
  absl::flat_hash_map<std::string, std::unique_ptr<Node>> named;
  std::unique_ptr<Node> parameter;
  std::unique_ptr<Node> rest;
  std::array<const Endpoint*, kMethodNames.size()> endpoints{};
  std::string allow;                // "" = no endpoint ends here
  std::optional<ErrorStyle> style;  // of all endpoints at or below; problem where they differ

  // That of an endpoint that ends here, else of those below.
  ErrorStyle refusal_style() const {
    const auto here = std::ranges::find_if(endpoints, [](const Endpoint* each) { return each != nullptr; });
    return here != endpoints.end() ? (*here)->style : style.value_or(ErrorStyle::problem);
  }

  // The node for the segments, or null. `deepest` becomes the last node on the way that exists.
  const Node* descend(std::span<const std::string> segments, const Node*& deepest) const {
    deepest = this;
    if (segments.empty()) return allow.empty() ? nullptr : this;
    const auto& segment = segments.front();
    if (const auto next = named.find(segment); next != named.end()) {
      if (const Node* found = next->second->descend(segments.subspan(1), deepest)) return found;
    }
    if (segment.empty()) return nullptr;
    if (parameter) {
      if (const Node* found = parameter->descend(segments.subspan(1), deepest)) return found;
    }
    return rest.get();
  }
};

namespace {

std::vector<std::string_view> split_path(std::string_view path) {
  MR_ASSERT(path.starts_with('/'), "an endpoint's path starts with a slash");
  std::vector<std::string_view> out;
  for (std::size_t begin = 1;;) {
    const std::size_t end = path.find('/', begin);
    out.push_back(path.substr(begin, end - begin));
    if (end == std::string_view::npos) return out;
    begin = end + 1;
  }
}

std::string allow_text(const std::array<const Endpoint*, kMethodNames.size()>& endpoints) {
  std::string out;
  for (std::size_t i = 0; i < endpoints.size(); ++i) {
    if (endpoints[i] != nullptr) out.append(out.empty() ? "" : ", ").append(kMethodNames[i]);
  }
  return out;
}

}  // namespace

Router::Router(std::vector<Endpoint> endpoints)
    : endpoints_(std::move(endpoints)), parameters_(endpoints_.size()), root_(std::make_unique<Node>()) {
  root_->style = ErrorStyle::problem;
  for (std::size_t i = 0; i < endpoints_.size(); ++i) insert(i);
}

Router::~Router() = default;
Router::Router(Router&&) noexcept = default;

void Router::insert(std::size_t index) {
  const Endpoint& endpoint = endpoints_[index];
  Node* node = root_.get();
  std::size_t position = 0;
  for (std::string_view segment : split_path(endpoint.path)) {
    MR_ASSERT(parameters_[index].empty() || !parameters_[index].back().rest, "nothing follows a rest parameter");
    std::unique_ptr<Node>* next = nullptr;
    if (segment.starts_with('{')) {
      const bool rest = segment.ends_with("...}");
      const std::string_view name = segment.substr(1, segment.size() - (rest ? 5 : 2));
      parameters_[index].push_back({position, std::string(name), rest});
      next = rest ? &node->rest : &node->parameter;
    } else {
      next = &node->named[std::string(segment)];
    }
    if (!*next) *next = std::make_unique<Node>();
    node = next->get();
    // Where relatives differ, the general style.
    node->style = !node->style || *node->style == endpoint.style ? endpoint.style : ErrorStyle::problem;
    ++position;
  }
  const auto slot = [node](Method method) -> const Endpoint*& {
    return node->endpoints[static_cast<std::size_t>(method)];
  };
  MR_ASSERT(slot(endpoint.method) == nullptr, "one endpoint for a method and a path");
  slot(endpoint.method) = &endpoint;
  if (endpoint.method == Method::get && !endpoint.no_head) slot(Method::head) = &endpoint;
  node->allow = allow_text(node->endpoints);
}

Route Router::find(Method method, std::span<const std::string> segments) const {
  const Node* deepest = nullptr;
  const Node* node = root_->descend(segments, deepest);
  if (node == nullptr) return {.style = deepest->refusal_style()};
  const Endpoint* endpoint = node->endpoints[static_cast<std::size_t>(method)];
  if (endpoint == nullptr) return {.allow = node->allow, .style = node->refusal_style()};
  return {.endpoint = endpoint, .style = endpoint->style};
}

std::vector<std::pair<std::string_view, std::string>> Router::params(const Endpoint& endpoint,
                                                                     std::vector<std::string>& segments) const {
  std::vector<std::pair<std::string_view, std::string>> out;
  for (const Parameter& parameter : parameters_[index_of(endpoint)]) {
    std::string value = std::move(segments[parameter.segment]);
    for (std::size_t i = parameter.segment + 1; parameter.rest && i < segments.size(); ++i)
      value.append("/").append(segments[i]);
    out.emplace_back(parameter.name, std::move(value));
  }
  return out;
}

}  // namespace millrace::http
