#include "store/joined/joined_store.hpp"

#include "store/contract/options.hpp"
#include "store/joined/partition_files.hpp"
#include "store/journal/directory.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <iterator>
#include <system_error>

namespace steadfast::store {

namespace {

std::string in_partition(std::uint32_t i, const std::string& why) {
  return "in partition " + std::to_string(i) + ": " + why;
}

} // namespace

std::vector<write_part> joined_store::parts_of(const write& w) const {
  found_first found;
  switch (needed_for(w)) {
    case read_first::nothing: break;
    case read_first::incidents: found.incidents = incidents_of(std::get<act_on_incident>(w).number); break;
    case read_first::bulk_acts: found.bulk_acts = bulk_acts_of(std::get<stop_bulk>(w).number); break;
    case read_first::leases:
      found.leases = each([](const local_store& s) { return s.leases(workflow::clock_reading{}); });
      break;
  }
  return store::parts_of(w, count(), found);
}

std::vector<outcome> joined_store::commit(const write_list& batch) {
  std::vector<std::vector<write_part>> parts;
  for (const auto* w : batch)
    parts.push_back(parts_of(*w));
  std::vector<write_list> lists(count());
  for (const auto& of_write : parts)
    for (const auto& p : of_write)
      lists[p.partition].push_back(&p.what);
  std::vector<std::vector<outcome>> said(count());
  bool is_begun = false;
  for (std::uint32_t i = 0; i < count(); ++i) {
    if (lists[i].empty())
      continue;
    try {
      said[i] = partitions_[i]->commit(lists[i]);
      is_begun = true;
    } catch (const store_error& e) {
      if (e.is_fatal() || !is_begun)
        throw store_error{in_partition(i, e.what()), e.is_fatal()};
      said[i].assign(lists[i].size(), decision{write_status::unknown_outcome, e.what()});
    }
  }
  std::vector<std::size_t> next(count());
  std::vector<outcome> outcomes;
  for (const auto& of_write : parts) {
    std::vector<outcome> of_parts;
    for (const auto& p : of_write)
      of_parts.push_back(std::move(said[p.partition][next[p.partition]++]));
    outcomes.push_back(store::joined(of_write, std::move(of_parts)));
  }
  return outcomes;
}

// ---- the files ----

void joined_store::share(std::function<void()> wake) {
  for (const auto& p : partitions_)
    p->share(wake);
}

void joined_store::save() {
  for (const auto& p : partitions_)
    p->save();
}

void joined_store::copy(const std::filesystem::path& to) const {
  if (count() == 1)
    return partitions_.front()->copy(to);
  if (mkdir(to.c_str(), 0700) != 0)
    throw store_error{"cannot copy the store to " + to.string() + ": " + std::strerror(errno), false};
  try {
    mark_partitions(to, count(), partition_files::being_copied);
    for (std::uint32_t i = 0; i < count(); ++i)
      partitions_[i]->copy(partition_folder(to, i));
    mark_partitions(to, count(), partition_files::complete);
  } catch (const store_error&) {
    std::error_code ignored;
    std::filesystem::remove_all(to, ignored);
    throw;
  }
  sync_directory(parent_of(to));
}

std::shared_ptr<local_store> as_one(std::vector<std::shared_ptr<local_store>> partitions) {
  if (partitions.empty())
    return nullptr;
  if (partitions.size() == 1)
    return partitions.front();
  return std::make_shared<joined_store>(std::move(partitions));
}

} // namespace steadfast::store
