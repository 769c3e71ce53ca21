#include "cli/nearest.h"

#include <algorithm>
#include <vector>

namespace millrace::cli {

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, change});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

std::optional<std::string> nearest(std::string_view text, std::span<const std::string> words) {
  // A typing error or two; of a short word less, or everything would be near.
  const std::size_t tolerated = std::max<std::size_t>(1, std::min<std::size_t>(3, text.size() / 2));
  constexpr std::size_t kWordMax = 40;
  if (text.size() > kWordMax) return std::nullopt;  // no word of ours
  std::optional<std::string> best;
  std::size_t best_distance = tolerated + 1;
  for (const std::string& word : words) {
    const bool begun = text.size() >= 2 && word.starts_with(text);
    const std::size_t away = begun ? 1 : distance(text, word);
    if (away >= best_distance) continue;
    best = word;
    best_distance = away;
  }
  return best;
}

}  // namespace millrace::cli
