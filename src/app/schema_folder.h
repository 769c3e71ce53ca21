// `serve --schemas DIR` (S2.4): keeps the schemas of a folder registered for the tenant `default`, at the start and
// whenever a file changes. Goes the way of `POST /api/schemas`, so a folder can do no more than a push could.
// Owns a thread of its own while it lives.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "api/services.h"
#include "async/io_threads.h"
#include "registry/folder.h"

namespace millrace::app {

// What tells that a file is another one, by name.
using FolderState = std::map<std::string, std::pair<std::int64_t, std::uintmax_t>>;
// Schema files only; empty where the folder cannot be read.
FolderState look_at_folder(const std::string& folder);

// The refusals of a push by file, from its problem document; empty where it names none.
std::vector<registry::FileProblem> refused_files(std::string_view problem);

class SchemaFolder {
 public:
  // Has loaded the folder once when it returns, as far as that was possible. REQUIRES: the engine is ready, and all
  // outlive this.
  SchemaFolder(std::string folder, api::Services& services, async::IoThreads& io);
  // Waits for a load that is under way.
  ~SchemaFolder();

 private:
  void watch();
  // Registers what can be; the rest is logged with its file. False: try again, it could not be written.
  bool load();
  bool register_files(std::vector<registry::SchemaFile> files);
  http::Response push(const std::vector<registry::SchemaFile>& files);

  const std::string folder_;
  api::Services& services_;
  async::IoThreads& io_;
  FolderState loaded_;  // after the constructor the thread's, as done_ is
  bool done_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool ending_ = false;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace millrace::app
