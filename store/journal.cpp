#include "store/journal.hpp"

#include "store/frame.hpp"
#include "store/key.hpp"
#include "store/lmdb.hpp"
#include "store/state_store.hpp"
#include "workflow/mutant.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace steadfast::store {

namespace {

constexpr const char* file_name = "journal";

/// An entry is a frame under this key, so that one of another state, or of an earlier round, does not check.
key key_of(std::uint64_t state, std::uint64_t entry) {
  return key{state, entry};
}

/// The frame that begins here; empty when none can.
std::string_view frame_at(std::string_view bytes) {
  std::uint32_t body = 0;
  if (bytes.size() < frame_head_size)
    return {};
  std::memcpy(&body, bytes.data() + frame_head_size - sizeof body, sizeof body);
  return body > bytes.size() - frame_head_size ? std::string_view{} : bytes.substr(0, frame_head_size + body);
}

bool is_entry(std::string_view bytes, const key& k) {
  try {
    open_frame(frame_at(bytes), record_kind::journal_entry, k);
    return true;
  } catch (const damaged_record&) {
    return false;
  }
}

/// Anywhere.
bool has_entry(std::string_view bytes, const key& k) {
  using namespace std::string_view_literals;
  constexpr auto format_and_kind = "\x01\x00\x10\x00"sv;
  constexpr std::size_t offset = sizeof(std::uint64_t); // of these in a frame
  static_assert(plain_body == 0x01 && record_kind::journal_entry == record_kind{0x10});
  for (auto at = bytes.find(format_and_kind, offset); at != std::string_view::npos;
       at = bytes.find(format_and_kind, at + 1))
    if (is_entry(bytes.substr(at - offset), k))
      return true;
  return false;
}

std::string read_whole(const std::filesystem::path& path) {
  constexpr std::size_t part = 1 << 20;
  std::string bytes;
  const file_handle file{open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC)};
  if (file.get() < 0 && errno == ENOENT)
    return bytes;
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

void write_whole(int file, std::string_view bytes, std::size_t at) {
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

/// Blocks that were only allocated would have to be noted as written by the sync of an entry, and where the file system fails at
/// that, the entry is gone.
void fill_with_zeros(int file, std::size_t from, std::size_t to) {
  const std::string zeros(1 << 20, '\0');
  for (auto at = from; at < to; at += zeros.size())
    write_whole(file, std::string_view{zeros}.substr(0, to - at), at);
  if (fsync(file) != 0)
    throw lmdb::error{"sync the journal", errno};
}

} // namespace

journal::journal(const store_directory& directory, std::size_t size)
    : file_{directory.open_file(file_name)},
      size_max_{size} {
  const auto end = static_cast<off_t>(size);
  if (fallocate(file_.get(), FALLOC_FL_KEEP_SIZE, 0, end) != 0 && (errno == ENOSPC || errno == EDQUOT))
    throw store_error{"there is no room on the disk for the journal of the store at " + directory.path().string(),
                      false};
  if (const auto written = lseek(file_.get(), 0, SEEK_END); written >= 0 && written < end)
    fill_with_zeros(file_.get(), static_cast<std::size_t>(written), size);
  sync_directory(directory.path());
}

std::vector<std::string> journal::read(const store_directory& directory, std::uint64_t state) {
  const auto bytes = read_whole(directory.path() / file_name);
  std::string_view left = bytes;
  std::vector<std::string> entries;
  const auto next = [&](std::size_t ahead) { return key_of(state, entries.size() + ahead); };
  for (; is_entry(left, next(0)); left.remove_prefix(frame_at(left).size()))
    entries.emplace_back(frame_at(left).substr(frame_head_size));
  if (has_entry(left, next(1)))
    throw store_error{"entry " + std::to_string(entries.size() + 1)
                        + " of the journal of the store is damaged, and others follow: restore a copy of the store",
                      false};
  return entries;
}

void journal::begin(std::uint64_t state) {
  state_ = state;
  entries_ = 0;
  end_ = 0;
}

bool journal::has_room_for(std::size_t bytes) const {
  return end_ + frame_head_size + bytes <= size_max_;
}

void journal::add(std::string_view entry) {
  frame_.assign(frame_head_size, '\0');
  frame_ += entry;
  seal(frame_, plain_body, record_kind::journal_entry, key_of(state_, entries_));
  write_whole(file_.get(), frame_, end_);
  if (!workflow::mutant("journal_not_synced") && fdatasync(file_.get()) != 0)
    throw lmdb::error{"sync the journal", EIO}; // whatever it was: what is on disk is not known
  end_ += frame_.size();
  ++entries_;
}

} // namespace steadfast::store
