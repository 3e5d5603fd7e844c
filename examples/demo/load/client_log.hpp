#pragma once

#include "examples/demo/load/work.hpp"

#include <nlohmann/json_fwd.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <string>

namespace demo {

/// The clients' requests and answers, one JSON object a line, in the order in which they happened: the evidence that
/// the checker compares with the node's store. Safe to use from many threads.
class client_log {
public:
  explicit client_log(const std::filesystem::path& file);

  /// Each question has a number, which its answer repeats.
  using call = std::uint64_t;

  call invoked(const submission& s);
  void acknowledged(call c, const submission& s, const steadfast::submitted& told); ///< "ok"
  void refused(call c, const submission& s, const std::string& why);                ///< "fail": it did not happen
  void without_answer(call c, const submission& s, const std::string& why);         ///< "info": nobody knows

  call looked(const submission& s); ///< "look": for its task
  /// "saw": the task at that revision, or none.
  void saw(call c, const submission& s, std::optional<std::uint64_t> revision);
  void saw_no_answer(call c, const submission& s, const std::string& why);

  call looked_at_lease(const std::string& name);
  /// "saw": who holds it, empty when it was given back, under which epoch.
  void saw_lease(call c, const std::string& name, const std::string& holder, std::uint64_t epoch);
  void saw_no_lease(call c, const std::string& name, const std::string& why); ///< without an answer

  /// Of a schedule that makes tasks of a workflow; `overlap` as its definition says.
  void knows_schedule(const std::string& name, const std::string& workflow, std::chrono::milliseconds every,
                      const std::string& overlap);

private:
  call write(const char* op, const submission& s, nlohmann::json more, call c = 0);
  call write(const char* op, nlohmann::json line, call c);

  std::mutex mutex_;
  std::ofstream out_;
  call last_ = 0;
};

} // namespace demo
