#include "examples/demo/client_log.hpp"

#include <nlohmann/json.hpp>

#include <chrono>

namespace demo {

namespace {

std::int64_t now_ms() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

} // namespace

client_log::client_log(const std::filesystem::path& file) : out_{file} {
  out_.exceptions(std::ios::failbit | std::ios::badbit);
}

void client_log::invoked(const submission& s) {
  write("invoke", s, "");
}

void client_log::acknowledged(const submission& s) {
  write("ok", s, "");
}

void client_log::refused(const submission& s, const std::string& why) {
  write("fail", s, why);
}

void client_log::without_answer(const submission& s, const std::string& why) {
  write("info", s, why);
}

void client_log::write(const char* op, const submission& s, const std::string& why) {
  nlohmann::json line{{"op", op}, {"task", s.id}, {"workflow", s.workflow}};
  if (!why.empty())
    line["why"] = why;
  std::lock_guard guard{mutex_};
  line["at"] = now_ms();
  out_ << line.dump() << '\n' << std::flush;
}

} // namespace demo
