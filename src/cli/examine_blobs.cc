#include <fmt/format.h>

#include <filesystem>

#include "base/unavailable.h"
#include "blob/folder_store.h"
#include "blob/owned_store.h"
#include "blob/s3_store.h"
#include "cli/examine.h"

namespace millrace::cli {
namespace {

namespace fs = std::filesystem;

struct Looked {
  std::optional<std::string> owner;
  bool empty = true;
};

// Not by listing it as a store does, which tidies up.
Looked look_at_folder(const std::string& path) {
  Looked looked{.owner = blob::read_folder_mark(path)};
  std::error_code absent;
  for (const auto& entry : fs::directory_iterator(path, absent)) {
    if (!entry.path().filename().string().starts_with('.')) looked.empty = false;
  }
  return looked;
}

Looked look_at_s3(const std::string& url, const Environment& environment) {
  const auto store = blob::open_s3(blob::read_s3_url(url, environment));
  Looked looked{.owner = store->mark()->owner()};
  if (looked.owner) return looked;
  const blob::Page page = store->list("", 1);
  looked.empty = page.entries.empty() && page.next.empty();
  return looked;
}

Finding judge(const blob::Ownership& ownership, const Looked& looked) {
  Finding finding{.subject = fmt::format("blobs in {}", ownership.place), .what = "belong to this installation"};
  if (looked.owner && looked.owner == ownership.installation) return finding;
  if (looked.owner == blob::kDamaged) {
    finding.verdict = Verdict::fail;
    finding.what = fmt::format("have a mark ({}) that cannot be read", blob::kMarkName);
    finding.fix =
        fmt::format("if they are this installation's, start it once with --blobs-take-over {}", blob::kDamaged);
  } else if (looked.owner) {
    finding.verdict = Verdict::fail;
    finding.what = fmt::format("belong to installation {}", *looked.owner);
    finding.fix = "name another place with --blobs, or see docs/operations.md on taking one over";
  } else if (looked.empty) {
    finding.what = "there are none yet; the server marks the place as its own";
  } else if (ownership.unmarked == blob::Ownership::Unmarked::adopted) {
    finding.what = "have no mark yet; the server makes one";
  } else {
    finding.verdict = Verdict::fail;
    finding.what = "have no mark that says whose they are";
    finding.fix =
        fmt::format("if they are this installation's, start it once with --blobs-take-over {}", blob::kUnmarked);
  }
  return finding;
}

}  // namespace

Findings examine_blobs(const std::string& blobs, const std::string& data,
                       const std::optional<std::string>& installation, const Environment& environment) {
  const blob::Ownership ownership = blob::ownership_of(blobs, data, installation.value_or(""));
  try {
    const bool s3 = blobs.starts_with("s3://");
    return {judge(ownership, s3 ? look_at_s3(blobs, environment) : look_at_folder(ownership.place))};
  } catch (const Unavailable& error) {
    return {{.verdict = Verdict::fail,
             .subject = fmt::format("blobs in {}", ownership.place),
             .what = error.what(),
             .fix = "see docs/operations.md on large payloads"}};
  }
}

}  // namespace millrace::cli
