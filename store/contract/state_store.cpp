#include "store/contract/local_store.hpp"

namespace steadfast::store {

std::string_view to_string(write_status v) {
  switch (v) {
    case write_status::applied: return "applied";
    case write_status::stale_lock: return "stale_lock";
    case write_status::stale_epoch: return "stale_epoch";
    case write_status::full: return "full";
    case write_status::refused: return "refused";
    case write_status::absent: return "absent";
    case write_status::unknown_outcome: return "unknown_outcome";
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

state_store::commit_end state_store::begin_commit(const write_list& batch) {
  return [outcomes = commit(batch)]() mutable { return std::move(outcomes); };
}

store_stats stats_of(const state_store& store, const store_files* files) {
  return {store.counts(), files != nullptr ? files->sizes() : file_figures{}};
}

} // namespace steadfast::store
