#include "store/upkeep/export_file.hpp"

#include "store/journal/directory.hpp"
#include "store/records/record.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace steadfast::store {
namespace {

[[noreturn]] void fail(const std::string& what, const std::filesystem::path& path, const std::string& why) {
  throw store_error{"cannot " + what + " " + path.string() + ": " + why, false};
}

void write_bytes(int file, std::string_view bytes, const std::filesystem::path& to) {
  while (!bytes.empty()) {
    const auto size = ::write(file, bytes.data(), bytes.size());
    if (size < 0 && errno == EINTR)
      continue;
    if (size <= 0) {
      const std::string why = std::strerror(errno);
      unlink(to.c_str());
      fail("write", to, why);
    }
    bytes.remove_prefix(static_cast<std::size_t>(size));
  }
}

} // namespace

void write_export(const std::filesystem::path& to, const exported_task& x) {
  const file_handle file{open(to.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_EXCL, 0600)};
  if (file.get() < 0)
    fail("write", to, std::strerror(errno));
  write_bytes(file.get(), encode(x), to);
  if (fsync(file.get()) != 0)
    fail("write", to, std::strerror(errno));
  sync_directory(parent_of(to));
}

exported_task read_export(const std::filesystem::path& from) {
  std::error_code error;
  const auto size = std::filesystem::file_size(from, error);
  if (error)
    fail("read", from, error.message());
  if (size > frame_head_size + body_size_max)
    fail("read", from, "it is too large to be an exported task");
  std::string bytes(size, '\0');
  std::ifstream file{from, std::ios::binary};
  if (!file.read(bytes.data(), static_cast<std::streamsize>(size)))
    fail("read", from, std::strerror(errno));
  try {
    return decode<exported_task>(bytes);
  } catch (const damaged_record& e) {
    fail("read", from, std::string{"it is no exported task ("} + e.what() + ")");
  }
}

} // namespace steadfast::store
