#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>

namespace chaos {

/// What was said to steps that wait, and what was answered, one JSON object a line, as the checker reads it
/// (docs/checker.md). Safe to use from many threads.
class wake_log {
public:
  explicit wake_log(const std::filesystem::path& file);

  using call = std::uint64_t;

  call asked(nlohmann::json what);
  /// `taken`: of an event, by how many tasks.
  void acknowledged(call c, std::uint64_t taken);
  void refused(call c, const std::string& why);        ///< it changed nothing
  void without_answer(call c, const std::string& why); ///< nobody knows

private:
  void write(nlohmann::json line, const char* op, call c);

  std::mutex mutex_;
  std::ofstream out_;
  call last_ = 0;
};

} // namespace chaos
