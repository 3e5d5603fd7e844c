#pragma once

#include "examples/demo/work.hpp"

#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>

namespace demo {

/// What the clients asked for and what they were told, one JSON object a line, in the order in which it happened: the
/// evidence that the checker holds against the node's store. Safe to use from many threads.
class client_log {
public:
  explicit client_log(const std::filesystem::path& file);

  void invoked(const submission& s);
  void acknowledged(const submission& s);                           ///< "ok"
  void refused(const submission& s, const std::string& why);        ///< "fail": it did not happen
  void without_answer(const submission& s, const std::string& why); ///< "info": nobody knows

private:
  void write(const char* op, const submission& s, const std::string& why);

  std::mutex mutex_;
  std::ofstream out_;
};

} // namespace demo
