#include "store/journal/old_journal.hpp"

#include "store/contract/state_store.hpp"
#include "store/journal/journal_file.hpp"
#include "store/lmdb/schema.hpp"
#include "store/records/frame.hpp"
#include "store/records/key.hpp"
#include "store/records/record.hpp"

#include <array>
#include <cstring>
#include <string_view>

namespace steadfast::store {

namespace {

/// Number of the last transaction, pages, and the counters: a restored copy may have had the same.
std::uint64_t old_state_of(const lmdb::environment& env) {
  const auto txn = lmdb::transaction::reading(env);
  const auto meta = txn.open_table("meta");
  const auto counters = meta ? txn.get(*meta, counters_key) : std::nullopt;
  const std::array<std::uint64_t, 3> parts{env.last_transaction(), env.pages_in_file(),
                                           hash_of(counters.value_or(std::string_view{}))};
  return hash_of({reinterpret_cast<const char*>(parts.data()), sizeof parts});
}

std::string_view old_frame_at(std::string_view bytes) {
  std::uint32_t body = 0;
  if (bytes.size() < frame_head_size)
    return {};
  std::memcpy(&body, bytes.data() + frame_head_size - sizeof body, sizeof body);
  const bool is_cut = body > bytes.size() - frame_head_size;
  return is_cut ? std::string_view{} : bytes.substr(0, frame_head_size + body);
}

bool is_old_entry(std::string_view frame, const key& k) {
  try {
    open_frame(frame, record_kind::journal_entry, k);
    return true;
  } catch (const damaged_record&) {
    return false;
  }
}

/// Anywhere. Payloads can look like entries, and each that does is read as far as it claims to go: so not without end.
bool has_old_entry(std::string_view bytes, const key& k) {
  using namespace std::string_view_literals;
  constexpr std::size_t read_max = std::size_t{4} << 30;
  constexpr auto format_and_kind = "\x01\x00\x10\x00"sv;
  constexpr std::size_t offset = sizeof(std::uint64_t); // of these in a frame
  std::size_t read = 0;
  for (auto at = bytes.find(format_and_kind, offset); at != std::string_view::npos && read < read_max;
       at = bytes.find(format_and_kind, at + 1)) {
    const auto frame = old_frame_at(bytes.substr(at - offset));
    if (is_old_entry(frame, k))
      return true;
    read += frame.size();
  }
  return false;
}

} // namespace

std::vector<std::string> read_old_journal(const lmdb::environment& env, const store_directory& directory) {
  const auto bytes = journal_file::read_whole(directory).value_or("");
  const auto state = old_state_of(env);
  std::string_view left = bytes;
  std::vector<std::string> entries;
  const auto next = [&](std::size_t ahead) { return key{state, static_cast<std::uint64_t>(entries.size() + ahead)}; };
  for (auto frame = old_frame_at(left); is_old_entry(frame, next(0)); frame = old_frame_at(left)) {
    entries.emplace_back(frame.substr(frame_head_size));
    left.remove_prefix(frame.size());
  }
  if (has_old_entry(left, next(1)))
    throw store_error{"entry " + std::to_string(entries.size() + 1)
                        + " of the journal of the store is damaged, and others follow: restore a copy of the store with"
                          " `steadfast store restore COPY --to FOLDER`",
                      false};
  return entries;
}

} // namespace steadfast::store
