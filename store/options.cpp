#include "store/options.hpp"

namespace steadfast::store {

namespace {

constexpr std::uint64_t size_least = 1 << 20;
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
  if (o.payload_size_max == 0 || o.payload_size_max > body_limit)
    found.push_back("store.payload_size_max must lie between 1 byte and 128 MiB");
  if (o.result_size_max == 0 || o.result_size_max > body_limit)
    found.push_back("store.result_size_max must lie between 1 byte and 128 MiB");
  if (o.bulk_keep_for < workflow::span{0})
    found.push_back("bulk.keep_for must not be below 0");
  return found;
}

} // namespace steadfast::store
