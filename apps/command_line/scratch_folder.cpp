#include "apps/command_line/scratch_folder.hpp"

#include "apps/terminal/failure.hpp"

#include <cstdlib>
#include <string>
#include <system_error>

namespace steadfast::apps {

std::filesystem::path fast_place() {
  const std::filesystem::path memory{"/dev/shm"};
  return std::filesystem::exists(memory) ? memory : std::filesystem::temp_directory_path();
}

scratch_folder::scratch_folder(const std::filesystem::path& parent) {
  auto pattern = (parent / "steadfast-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr)
    throw failure{our_fault, "no folder can be made in " + parent.string()};
  path_ = pattern;
}

scratch_folder::~scratch_folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

} // namespace steadfast::apps
