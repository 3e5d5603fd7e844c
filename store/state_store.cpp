#include "store/local_store.hpp"

namespace steadfast::store {

std::string_view to_string(verdict v) {
  switch (v) {
    case verdict::applied: return "applied";
    case verdict::stale_lock: return "stale_lock";
    case verdict::stale_epoch: return "stale_epoch";
    case verdict::full: return "full";
    case verdict::refused: return "refused";
    case verdict::absent: return "absent";
    case verdict::unknown_outcome: return "unknown_outcome";
  }
  return "?";
}

std::vector<outcome> state_store::commit(const std::vector<write>& batch) {
  write_list all;
  all.reserve(batch.size());
  for (const auto& w : batch)
    all.insert(all.end(), &w);
  return commit(all);
}

store_stats stats_of(const state_store& store, const store_files* files) {
  return {store.counts(), files != nullptr ? files->sizes() : file_figures{}};
}

} // namespace steadfast::store
