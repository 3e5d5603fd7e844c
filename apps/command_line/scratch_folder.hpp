#pragma once

#include <filesystem>

namespace steadfast::apps {

/// A fast place for temporary files: in memory if there is one.
std::filesystem::path fast_place();

/// A new folder that only its owner can enter, removed with all that is in it.
class scratch_folder {
public:
  /// Throws failure when none can be made there.
  explicit scratch_folder(const std::filesystem::path& parent = std::filesystem::temp_directory_path());
  ~scratch_folder();
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;

  const std::filesystem::path& path() const { return path_; }

private:
  std::filesystem::path path_;
};

} // namespace steadfast::apps
