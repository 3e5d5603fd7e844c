#include "store/contract/shares.hpp"

namespace steadfast::store {

namespace {

constexpr std::uint64_t whole_size = 1 << 20; ///< of partitions, as people are told it

} // namespace

store_options share_of(const store_options& of_all, const workflow::partition& p) {
  auto o = of_all;
  o.partition = p;
  if (p.count == 1)
    return o;
  o.size_max = o.size_max / p.count / whole_size * whole_size;
  o.size_reserve /= p.count;
  o.journal_max /= p.count;
  o.recent_ids_max /= p.count;
  if (p.index > 0 && o.watch)
    o.watch = o.watch->another();
  return o;
}

} // namespace steadfast::store
