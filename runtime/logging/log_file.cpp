#include "runtime/logging/log_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

namespace steadfast::runtime {

namespace {

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& why) {
  throw std::runtime_error{"log.file " + path.string() + " " + why};
}

std::string open_failure(int error) {
  if (error == ELOOP)
    return "is a symbolic link, which is not followed: name the file itself";
  return std::string{"cannot be opened: "} + std::strerror(error);
}

} // namespace

actors::descriptor open_log_file(const std::filesystem::path& path) {
  constexpr mode_t private_file = 0600;
  std::error_code ignored; // opening tells it
  if (path.has_parent_path())
    std::filesystem::create_directories(path.parent_path(), ignored);
  // Does not wait for a reader of a named pipe.
  constexpr int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
  actors::descriptor file{open(path.c_str(), flags, private_file)};
  if (!file.is_open())
    refuse(path, open_failure(errno));
  struct stat s {};
  if (fstat(file.get(), &s) != 0 || !(S_ISREG(s.st_mode) || S_ISCHR(s.st_mode)))
    refuse(path, "is no file that lines can be appended to");
  if (s.st_uid != geteuid() && s.st_uid != 0)
    refuse(path, "belongs to user " + std::to_string(s.st_uid) + ", this process runs as user "
                   + std::to_string(geteuid()) + ": remove it, or name another file");
  return file;
}

} // namespace steadfast::runtime
