#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace steadfast::tests {

/// A folder of its own for one test, removed with all that is in it.
class temp_folder {
public:
  explicit temp_folder(const std::filesystem::path& parent = std::filesystem::temp_directory_path()) {
    std::string name = (parent / "steadfast-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw std::runtime_error{"no folder for the test can be made in " + parent.string()};
    path_ = name;
  }
  ~temp_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  temp_folder(const temp_folder&) = delete;
  temp_folder& operator=(const temp_folder&) = delete;

  const std::filesystem::path& path() const { return path_; }

  void write(const std::string& name, const std::string& text,
             std::filesystem::perms mode = std::filesystem::perms::owner_read
                                           | std::filesystem::perms::owner_write) const {
    std::ofstream{path_ / name} << text;
    std::filesystem::permissions(path_ / name, mode);
  }

private:
  std::filesystem::path path_;
};

} // namespace steadfast::tests
