#include "tests/fuzz/support/scratch.hpp"

#include "tests/fuzz/support/fuzz.hpp"
#include "tests/support/fast_place.hpp"
#include "tests/support/temp_folder.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace steadfast::fuzz {

const std::filesystem::path& scratch_folder() {
  const char* given = std::getenv("STEADFAST_FUZZ_SCRATCH");
  static const tests::temp_folder folder{given != nullptr ? std::filesystem::path{given} : tests::fast_place()};
  return folder.path();
}

std::filesystem::path scratch_file(const std::string& name, std::string_view bytes) {
  const auto path = scratch_folder() / name;
  std::ofstream file{path, std::ios::binary | std::ios::trunc};
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  expect(static_cast<bool>(file.flush()), "a file can be written");
  return path;
}

std::string bytes_of(const std::filesystem::path& file) {
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

} // namespace steadfast::fuzz
