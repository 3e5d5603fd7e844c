#include "tests/support/processes/proc_files.hpp"

#include <fstream>
#include <iterator>
#include <sstream>
#include <vector>

namespace steadfast::tests {

std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream{file, std::ios::binary}.rdbuf(); // which does not throw when the process has ended
  return text.str();
}

long cpu_ticks(pid_t process) {
  const auto text = text_of("/proc/" + std::to_string(process) + "/stat");
  std::istringstream after_name{text.substr(text.rfind(')') + 1)};
  const std::vector<std::string> words{std::istream_iterator<std::string>{after_name}, {}};
  return std::stol(words.at(11)) + std::stol(words.at(12));
}

std::chrono::nanoseconds waited_for_processors() {
  std::chrono::nanoseconds::rep all = 0;
  for (const auto& thread : std::filesystem::directory_iterator{"/proc/self/task"}) {
    std::istringstream numbers{text_of(thread.path() / "schedstat")}; // ran, waited, how often
    std::chrono::nanoseconds::rep ran = 0;
    std::chrono::nanoseconds::rep waited = 0;
    if (numbers >> ran >> waited)
      all += waited;
  }
  return std::chrono::nanoseconds{all};
}

} // namespace steadfast::tests
