#include "tests/chaos/wake_log.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <utility>

namespace chaos {

namespace {

std::int64_t steady_ns() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(since).count();
}

} // namespace

wake_log::wake_log(const std::filesystem::path& file) : out_{file} {
  out_.exceptions(std::ios::failbit | std::ios::badbit);
}

wake_log::call wake_log::asked(nlohmann::json what) {
  std::lock_guard guard{mutex_};
  write(std::move(what), "invoke", ++last_);
  return last_;
}

void wake_log::acknowledged(call c, std::uint64_t taken) {
  std::lock_guard guard{mutex_};
  write({{"taken", taken}}, "ok", c);
}

void wake_log::refused(call c, const std::string& why) {
  std::lock_guard guard{mutex_};
  write({{"why", why}}, "fail", c);
}

void wake_log::without_answer(call c, const std::string& why) {
  std::lock_guard guard{mutex_};
  write({{"why", why}}, "info", c);
}

void wake_log::write(nlohmann::json line, const char* op, call c) {
  line.update({{"op", op}, {"call", c}, {"steady_ns", steady_ns()}});
  out_ << line.dump() << '\n' << std::flush;
}

} // namespace chaos
