#include "store/contract/options.hpp"

#include <sys/resource.h>

#include <limits>

namespace steadfast::store {

namespace {

constexpr std::size_t body_limit = 128 << 20; ///< what one record can hold, with room for the rest of it

} // namespace

std::vector<std::string> problems(const store_options& o) {
  std::vector<std::string> found;
  if (o.path.empty())
    found.push_back("store.path must be set");
  if (o.size_max < size_least)
    found.push_back("store.size_max must be at least 1 MiB");
  if (o.size_reserve >= o.size_max)
    found.push_back("store.size_reserve must be smaller than store.size_max");
  if (o.journal_max > o.size_reserve / journal_growth)
    found.push_back("store.size_reserve, " + mib_text(o.size_reserve) + ", cannot take what the journal may hold: "
                    + mib_text(o.journal_max) + " by store.journal_max, up to "
                    + mib_text(journal_growth * o.journal_max) + " in the data file. Raise the one or lower the other");
  if (o.payload_size_max == 0 || o.payload_size_max > body_limit)
    found.push_back("store.payload_size_max must lie between 1 byte and 128 MiB");
  if (o.result_size_max == 0 || o.result_size_max > body_limit)
    found.push_back("store.result_size_max must lie between 1 byte and 128 MiB");
  if (o.events_keep_for <= workflow::span{0} || o.events_keep_for > workflow::span_max)
    found.push_back("events.keep_for must be above zero and at most ten years");
  if (o.bulk_keep_for < workflow::span{0})
    found.push_back("bulk.keep_for must not be below 0");
  return found;
}

std::filesystem::path partition_folder(const std::filesystem::path& store, std::uint32_t index) {
  return store / ("partition-" + std::to_string(index));
}

std::uint64_t file_size_limit() {
  rlimit limit{};
  const bool has_one = getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return has_one ? limit.rlim_cur : std::numeric_limits<std::uint64_t>::max();
}

std::string name_of_limit(const store_options& o) {
  return o.size_max == file_size_limit() ? "the largest file that this process may write (ulimit -f)"
                                         : "store.size_max";
}

std::string mib_text(std::uint64_t bytes) {
  return std::to_string((bytes + (1U << 20U) - 1) >> 20U) + " MiB";
}

} // namespace steadfast::store
