#pragma once

#include "store/contract/journal_watch.hpp"
#include "workflow/outward/notification.hpp"
#include "workflow/task/partition.hpp"
#include "workflow/time/time.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace steadfast::store {

struct store_options {
  std::filesystem::path path = "steadfast-store"; ///< directory, made with mode 0700
  std::uint64_t size_max = 8ULL << 30;            ///< bytes the file may grow to
  std::uint64_t size_reserve = 64 << 20;          ///< of size_max, kept for recording work that is already accepted
  std::size_t payload_size_max = 1 << 20;
  std::size_t result_size_max = 1 << 20;
  std::size_t recent_ids_max = 262'144; ///< ids of new tasks that are collected, then moved to their places together
  std::size_t journal_max = 8 << 20;    ///< bytes of commits that may wait in the journal to be saved; 0: none may
  std::uint64_t journal_name = 0;       ///< random, new for each opening; 0: no journal
  std::uint64_t epochs_from = 0;    ///< for a copy that is opened: epochs_at, so that the later of two copies is above
  std::uint32_t bulk_open_max = 16; ///< bulk acts that may be open
  workflow::span events_keep_for = std::chrono::hours{24 * 7}; ///< how long one can be taken, unless it says otherwise
  workflow::span bulk_keep_for = std::chrono::hours{24 * 7};   ///< after its end; it is removed when another begins
  std::vector<workflow::subscription> webhooks{};              ///< whose notifications are kept from now on
  bool read_only = false;                 ///< for looking at a store: no lock is taken, every write is refused
  std::shared_ptr<journal_watch> watch{}; ///< null: nobody measures
  workflow::partition partition{};        ///< which this store is, for its whole life
};

/// The folder of one partition, in a store of several.
std::filesystem::path partition_folder(const std::filesystem::path& store, std::uint32_t index);

/// A bound: how many bytes of the data file one byte of the journal can become.
inline constexpr std::uint64_t journal_growth = 8;

/// Higher than every epoch that can have been given before that moment of the wall clock: nobody acquires more than
/// 65,536 epochs a second.
constexpr std::uint64_t epochs_at(std::uint64_t seconds_since_1970) {
  return seconds_since_1970 << 16U;
}

/// Empty: the options make sense.
std::vector<std::string> problems(const store_options& o);

/// The smallest data file with which a store can work.
inline constexpr std::uint64_t size_least = 1 << 20;

/// The largest file that this process may write (`ulimit -f`), or the largest number.
std::uint64_t file_size_limit();
/// What bounds size_max: the option itself, or the limit of the process if size_max was lowered to it.
std::string name_of_limit(const store_options& o);
/// A size as people are shown it, rounded up.
std::string mib_text(std::uint64_t bytes);

} // namespace steadfast::store
