#include "registry/xsd_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <expected>

namespace millrace::registry {
namespace {

// Derivation in public schemas goes about ten deep; libxml2 recurses for each reference.
constexpr int kReferenceDepthMax = 64;
// The automaton of a content model takes the cube of its parts (800 optional elements: three seconds). This lets
// one model have 790 parts, or 2,300 models 60 each.
constexpr std::uint64_t kWorkMax = 500'000'000;
// Counting ends here, where the cube alone is above kWorkMax, so nothing overflows.
constexpr std::uint64_t kPartsCounted = 1'000;

struct Size {
  std::uint64_t parts = 0;
  int depth = 0;
};

class Measuring {
 public:
  explicit Measuring(const XsdDefinitions& definitions) : definitions_(definitions) {}

  std::optional<std::string> run() {
    std::uint64_t work = 0;
    for (const auto& [name, definition] : definitions_) {
      const auto size = measure(name, 0);
      if (!size) return size.error();
      work += size->parts * size->parts * size->parts;
      if (work > kWorkMax) return "is too large once its groups, unions and base types are laid out";
    }
    return std::nullopt;
  }

 private:
  // Each definition once, however often it is used.
  std::expected<Size, std::string> measure(const std::string& name, int depth) {
    const auto definition = definitions_.find(name);
    if (definition == definitions_.end()) return Size{};  // libxml2 says what is missing
    const auto [known, fresh] = sizes_.try_emplace(name);
    if (!fresh && !known->second) return std::unexpected(fmt::format("{} is defined by itself", name));
    if (fresh) {
      auto size = add_up(definition->second, depth);
      if (!size) return size;
      known->second = *size;
    }
    return *known->second;
  }

  std::expected<Size, std::string> add_up(const XsdDefinition& definition, int depth) {
    Size sum{.parts = definition.parts};
    for (const std::string& used : definition.uses) {
      const auto size = depth < kReferenceDepthMax ? measure(used, depth + 1) : Size{.depth = kReferenceDepthMax};
      if (!size) return size;
      sum.parts += size->parts;
      sum.depth = std::max(sum.depth, size->depth + 1);
    }
    if (sum.depth > kReferenceDepthMax) {
      return std::unexpected(fmt::format("its definitions use each other more than {} deep", kReferenceDepthMax));
    }
    sum.parts = std::min(sum.parts, kPartsCounted);
    return sum;
  }

  const XsdDefinitions& definitions_;
  std::map<std::string, std::optional<Size>> sizes_;  // nothing while it is being measured
};

}  // namespace

std::optional<std::string> find_excess(const XsdDefinitions& definitions) { return Measuring(definitions).run(); }

}  // namespace millrace::registry
