#include "store/journal/journal.hpp"

#include "store/journal/journal_file.hpp"
#include "store/lmdb/lmdb.hpp"
#include "store/records/frame.hpp"
#include "store/records/record.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace steadfast::store {

namespace {

constexpr std::string_view head_key = "journal";
constexpr std::size_t head_size = 4096;
constexpr std::uint16_t labelled_body = 2; ///< of an entry: its label, then a change_log

/// What the body of an entry begins with. The name is in no payload, so that entries are found by it.
using label = std::array<std::uint64_t, 3>; ///< name, state, place among the entries

std::string_view bytes_of(const label& l) {
  return {reinterpret_cast<const char*>(l.data()), sizeof l};
}

std::optional<label> label_at(std::string_view bytes) {
  label l{};
  if (bytes.size() < frame_head_size + sizeof l)
    return std::nullopt;
  std::memcpy(l.data(), bytes.data() + frame_head_size, sizeof l);
  return l;
}

/// The frame that begins here; empty when none can.
std::string_view frame_at(std::string_view bytes) {
  std::uint32_t body = 0;
  if (bytes.size() < frame_head_size)
    return {};
  std::memcpy(&body, bytes.data() + frame_head_size - sizeof body, sizeof body);
  return body > bytes.size() - frame_head_size ? std::string_view{} : bytes.substr(0, frame_head_size + body);
}

/// The frame that begins here, if it is an entry with that label and checks; else empty.
std::string_view entry_at(std::string_view bytes, const label& l) {
  if (label_at(bytes) != l)
    return {};
  const auto frame = frame_at(bytes);
  try {
    return open_frame(frame, record_kind::journal_entry, {}).format == labelled_body ? frame : std::string_view{};
  } catch (const damaged_record&) {
    return {};
  }
}

/// Whether one that is later than `next`, of the same state, is anywhere.
bool has_later(std::string_view bytes, const label& next) {
  const auto mark = bytes_of(next).substr(0, 2 * sizeof next[0]);
  for (auto at = bytes.find(mark, frame_head_size); at != std::string_view::npos; at = bytes.find(mark, at + 1)) {
    const auto entry = bytes.substr(at - frame_head_size);
    const auto found = label_at(entry);
    if (found && (*found)[2] > next[2] && !entry_at(entry, *found).empty())
      return true;
  }
  return false;
}

/// The entry at the beginning is the first one of the state that was written last.
std::optional<std::uint64_t> newest_state(std::string_view entries, std::uint64_t name) {
  const auto first = label_at(entries);
  const bool is_one = first && (*first)[0] == name && (*first)[2] == 0 && !entry_at(entries, *first).empty();
  return is_one ? std::optional{(*first)[1]} : std::nullopt;
}

std::optional<journal_head> head_of(std::string_view bytes) {
  return bytes.size() < head_size ? std::nullopt
                                  : readable<journal_head>(head_key, frame_at(bytes.substr(0, head_size)));
}

[[noreturn]] void refuse_journal(const store_directory& directory, const std::string& what) {
  throw store_error{
    "the journal of the store, " + (directory.path() / journal_file::name).string() + ", " + what
      + ": put back the one that belongs to this data file, or restore a copy of the store with"
        " `steadfast store restore COPY --to FOLDER`. What was acknowledged last may be in it alone; to go on"
        " without that, restore this store itself with --without-journal",
    false};
}

/// Throws unless it is the one that the data file knows.
void check_head(const store_directory& directory, const std::optional<std::string>& bytes, std::uint64_t name) {
  if (!bytes)
    refuse_journal(directory, "is missing");
  if (bytes->empty())
    refuse_journal(directory, "is empty");
  const auto head = head_of(*bytes);
  if (!head)
    refuse_journal(directory, "is damaged at its beginning");
  if (head->name != name)
    refuse_journal(directory, "belongs to another time, or to another store");
  if (bytes->size() < head->size)
    refuse_journal(directory,
                   "was cut: it has " + std::to_string(bytes->size()) + " of " + std::to_string(head->size) + " bytes");
}

} // namespace

const std::size_t journal::first_ = head_size;

journal::journal(const store_directory& directory, std::size_t size, std::uint64_t name,
                 std::shared_ptr<journal_watch> watch)
    : file_{directory.open_file(journal_file::name)},
      size_max_{head_size + size},
      name_{name},
      watch_{std::move(watch)} {
  journal_file::fill(file_.get(), size_max_, directory);
  std::string head{encode_record(head_key, journal_head{name, size_max_})};
  head.resize(head_size);
  journal_file::write_at(file_.get(), head, 0);
  if (fsync(file_.get()) != 0)
    throw lmdb::error{"sync the journal", errno};
  sync_directory(directory.path());
}

std::vector<std::string> journal::read(const store_directory& directory, std::uint64_t name, std::uint64_t state) {
  const auto bytes = journal_file::read_whole(directory);
  check_head(directory, bytes, name);
  auto left = std::string_view{*bytes}.substr(head_size);
  if (newest_state(left, name).value_or(state) > state)
    throw store_error{
      "the data file of the store at " + directory.path().string()
        + " is older than its journal: put back the data file that belongs to it, or restore a copy of the"
          " store with `steadfast store restore COPY --to FOLDER`",
      false};
  std::vector<std::string> entries;
  const auto next = [&] { return label{name, state, entries.size()}; };
  for (auto entry = entry_at(left, next()); !entry.empty(); entry = entry_at(left, next())) {
    entries.emplace_back(entry.substr(frame_head_size + sizeof(label)));
    left.remove_prefix(entry.size());
  }
  if (has_later(left, next()))
    refuse_journal(directory,
                   "is damaged: entry " + std::to_string(entries.size() + 1) + " does not check, and others follow");
  return entries;
}

std::optional<std::uint64_t> journal::name_of_used(const store_directory& directory) {
  const auto bytes = journal_file::read_whole(directory);
  const auto head = bytes ? head_of(*bytes) : std::nullopt;
  if (!head || !newest_state(std::string_view{*bytes}.substr(head_size), head->name))
    return std::nullopt;
  return head->name;
}

std::string journal::set_aside(const store_directory& directory) {
  const auto from = directory.path() / journal_file::name;
  for (int n = 1;; ++n) {
    const auto name = std::string{journal_file::name} + ".set-aside-" + std::to_string(n);
    if (std::filesystem::exists(std::filesystem::symlink_status(directory.path() / name)))
      continue;
    std::error_code failed;
    std::filesystem::rename(from, directory.path() / name, failed);
    if (failed)
      throw store_error{"cannot set " + from.string() + " aside: " + failed.message(), false};
    sync_directory(directory.path());
    return name;
  }
}

void journal::begin(std::uint64_t state) {
  state_ = state;
  entries_ = 0;
  end_ = first_;
}

bool journal::has_room_for(std::size_t bytes) const {
  return end_ + frame_head_size + sizeof(label) + bytes <= size_max_;
}

void journal::add(std::string_view entry) {
  frame_.assign(frame_head_size, '\0');
  frame_ += bytes_of({name_, state_, entries_});
  frame_ += entry;
  seal(frame_, labelled_body, record_kind::journal_entry, {});
  journal_file::write_at(file_.get(), frame_, end_);
  if (watch_)
    watch_->begins_sync();
  if (fdatasync(file_.get()) != 0)
    throw lmdb::error{"sync the journal", EIO}; // whatever it was: what is on disk is not known
  end_ += frame_.size();
  ++entries_;
  if (watch_)
    watch_->ends_sync(frame_.size(), size());
}

} // namespace steadfast::store
