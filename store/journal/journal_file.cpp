#include "store/journal/journal_file.hpp"

#include "store/contract/state_store.hpp"
#include "store/lmdb/lmdb.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace steadfast::store::journal_file {

std::optional<std::string> read_whole(const store_directory& directory) {
  constexpr std::size_t part = 1 << 20;
  const auto path = directory.path() / name;
  const file_handle file{open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC)};
  if (file.get() < 0 && errno == ENOENT)
    return std::nullopt;
  std::string bytes;
  if (const auto end = lseek(file.get(), 0, SEEK_END); end > 0)
    bytes.reserve(static_cast<std::size_t>(end) + part);
  for (std::size_t done = 0;;) {
    bytes.resize(done + part);
    const auto count = pread(file.get(), bytes.data() + done, part, static_cast<off_t>(done));
    if (count < 0 && errno != EINTR)
      throw store_error{std::string{"cannot read "} + path.string() + ": " + std::strerror(errno), false};
    done += count > 0 ? static_cast<std::size_t>(count) : 0;
    bytes.resize(done);
    if (count == 0)
      return bytes;
  }
}

void write_at(int file, std::string_view bytes, std::size_t at) {
  while (!bytes.empty()) {
    const auto count = pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      throw lmdb::error{"write the journal", errno};
    bytes.remove_prefix(static_cast<std::size_t>(count));
    at += static_cast<std::size_t>(count);
  }
}

// Blocks that were only allocated would have to be noted as written by the sync of an entry, and where the file system
// fails at that, the entry is gone.
void fill(int file, std::size_t size, const store_directory& directory) {
  if (fallocate(file, FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(size)) != 0 && (errno == ENOSPC || errno == EDQUOT))
    throw store_error{"there is no room on the disk for the journal of the store at " + directory.path().string(),
                      false};
  const auto written = lseek(file, 0, SEEK_END);
  if (written < 0 || static_cast<std::size_t>(written) >= size)
    return;
  const std::string zeros(1 << 20, '\0');
  for (auto at = static_cast<std::size_t>(written); at < size; at += zeros.size())
    write_at(file, std::string_view{zeros}.substr(0, size - at), at);
}

} // namespace steadfast::store::journal_file
