// Finds the endpoint for a method and a path. Built once, then read by all io threads.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "http/endpoint.h"

namespace millrace::http {

// What the router says about a request.
struct Route {
  const Endpoint* endpoint = nullptr;  // null: 404, or 405 if `allow` says what the path takes
  std::string_view allow = {};
  ErrorStyle style = ErrorStyle::problem;  // of the endpoint, or of its nearest relatives
};

class Router {
 public:
  // Aborts on a table that contradicts itself: it is written by us.
  explicit Router(std::vector<Endpoint> endpoints);
  ~Router();
  Router(Router&&) noexcept;

  // A static segment wins over a parameter; a parameter takes no empty segment, so "/events/" is unknown
  // where only "/events" and "/events/{id}" are.
  Route find(Method method, std::span<const std::string> segments) const;
  // The path's parameters, moved out of the segments. REQUIRES: find() gave this endpoint for them.
  std::vector<std::pair<std::string_view, std::string>> params(const Endpoint& endpoint,
                                                               std::vector<std::string>& segments) const;

  std::span<const Endpoint> endpoints() const { return endpoints_; }
  // Position of an endpoint in endpoints(): an index for tables kept beside it.
  std::size_t index_of(const Endpoint& endpoint) const {
    return static_cast<std::size_t>(&endpoint - endpoints_.data());
  }

 private:
  struct Node;
  struct Parameter {
    std::size_t segment;
    std::string name;
    bool rest;
  };
  void insert(std::size_t index);

  std::vector<Endpoint> endpoints_;
  std::vector<std::vector<Parameter>> parameters_;  // by endpoint
  std::unique_ptr<Node> root_;
};

}  // namespace millrace::http
