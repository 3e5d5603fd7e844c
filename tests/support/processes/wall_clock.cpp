#include "tests/support/processes/wall_clock.hpp"

#include "tests/support/processes/run_program.hpp"

#include <fstream>
#include <utility>

namespace steadfast::tests {

namespace {

constexpr const char* library = "/usr/$LIB/faketime/libfaketimeMT.so.1"; // $LIB: the loader knows the machine's folder

std::string signed_text(std::chrono::seconds offset) {
  return (offset.count() < 0 ? "" : "+") + std::to_string(offset.count());
}

/// As libfaketime takes it.
std::vector<std::string> with_clock(const std::string& text) {
  return {std::string{"LD_PRELOAD="} + library,
          "FAKETIME=" + text,
          "FAKETIME_DONT_FAKE_MONOTONIC=1",
          "DONT_FAKE_MONOTONIC=1",
          "NO_FAKE_STAT=1",
          "TZ=UTC"};
}

} // namespace

wall_clock::wall_clock(std::filesystem::path file) : file_{std::move(file)} {
  set_wrong_by(std::chrono::seconds{0});
}

void wall_clock::set_wrong_by(std::chrono::seconds offset) const {
  const auto next = file_.string() + ".next"; // put in its place at once: a program may be reading it
  std::ofstream{next} << signed_text(offset) << '\n';
  std::filesystem::rename(next, file_);
}

std::vector<std::string> wall_clock::environment() const {
  return {std::string{"LD_PRELOAD="} + library,
          "FAKETIME_TIMESTAMP_FILE=" + file_.string(),
          "FAKETIME_CACHE_DURATION=1",
          "FAKETIME_DONT_FAKE_MONOTONIC=1",
          "DONT_FAKE_MONOTONIC=1",
          "NO_FAKE_STAT=1"};
}

std::vector<std::string> wall_clock::stopped_at(const std::string& moment) {
  return with_clock(moment);
}

std::vector<std::string> wall_clock::always_wrong_by(std::chrono::seconds offset) {
  return with_clock(signed_text(offset));
}

bool wall_clock::works_with(const std::string& program) {
  const auto end = run_program(program, {"--version"}, "", {std::string{"LD_PRELOAD="} + library, "FAKETIME=+0"});
  return end.code == 0 && end.err.empty(); // the loader complains of a library that is not there
}

} // namespace steadfast::tests
