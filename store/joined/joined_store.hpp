#pragma once

#include "store/contract/local_store.hpp"
#include "store/joined/write_parts.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace steadfast::store {

/// A store that is several, each of which has the tasks whose ids and numbers say so (workflow/task/partition.hpp). A
/// read sees one snapshot of each of them, not one of all. A commit is one transaction of each that it meets: if the
/// process ends between two of them, the same again is safe.
class joined_store : public local_store {
public:
  /// Partition i is the i-th of them. REQUIRES: there is one, and each numbers as the i-th of so many.
  explicit joined_store(std::vector<std::shared_ptr<local_store>> partitions) : partitions_{std::move(partitions)} {}

  const std::vector<std::shared_ptr<local_store>>& partitions() const { return partitions_; }

  std::vector<write_part> parts_of(const write& w) const;

  using state_store::commit;
  /// If one partition fails after another has committed, what became of its writes is an unknown_outcome.
  std::vector<outcome> commit(const write_list& batch) override;
  void share(std::function<void()> wake) override;
  void save() override;

  std::optional<workflow::task> find(const std::string& id) const override;
  std::optional<workflow::task> find(std::uint64_t number) const override;
  std::optional<std::string> damage_of(const std::string& id) const override;
  task_page list(const task_filter& filter, std::optional<std::uint64_t> before, std::size_t max) const override;
  /// Partition after partition.
  tally count_part(const task_filter& filter, std::optional<std::uint64_t> before) const override;
  tally visit_part(const task_filter& filter, std::optional<std::uint64_t> before,
                   const task_visitor& use) const override;
  due_page overdue(workflow::instant now, std::optional<std::pair<workflow::instant, std::uint64_t>> after,
                   std::size_t max) const override;
  std::optional<workflow::definition> find_definition(const std::string& name, std::uint32_t version) const override;
  std::vector<workflow::definition> definitions(const definition_place& after, std::size_t steps_max) const override;
  std::vector<lease> leases(const workflow::clock_reading& clock) const override;
  std::vector<alert_entry> alerts(bool open_only, std::size_t max) const override;
  alert_list find_alerts(const alert_filter& filter, std::optional<std::uint64_t> before,
                         std::size_t max) const override;
  incident_page incidents(bool open_only, std::optional<std::uint64_t> before, std::size_t max) const override;
  /// By the number that it has in any partition.
  std::optional<incident> find_incident(std::uint64_t number) const override;
  bulk_page bulk_acts(bool open_only, std::optional<std::uint64_t> before, std::size_t max) const override;
  /// Likewise.
  bulk_page find_bulk_act(std::uint64_t number) const override;
  std::vector<workflow::schedule_state> schedules(const std::string& after, std::size_t max) const override;
  std::optional<workflow::schedule_state> find_schedule(const std::string& name) const override;
  event_page events(const event_filter& filter, workflow::instant now, const std::string& after,
                    std::size_t max) const override;
  std::optional<limit_queue> find_limit_queue(std::uint64_t number) const override;
  std::optional<items_undo> find_items_undo(std::uint64_t number, std::uint32_t step) const override;
  std::vector<notice_entry> notices(const std::string& observer, std::uint64_t after_number,
                                    std::uint32_t after_sequence, std::size_t max) const override;
  std::vector<late_reply_entry> late_replies(std::optional<std::uint64_t> task, std::size_t max) const override;
  std::optional<exported_task> export_task(const std::string& id) const override;
  store_counts counts() const override;
  check_report check() const override;

  std::vector<set_aside_damaged> damaged() override;
  /// Of all together; what is free on the disk that has the least.
  file_figures sizes() const override;
  /// As open_partitions() opens it.
  void copy(const std::filesystem::path& to) const override;

private:
  std::uint32_t count() const { return static_cast<std::uint32_t>(partitions_.size()); }
  local_store& of_id(const std::string& id) const;
  local_store& of_number(std::uint64_t number) const;
  /// ask(partition) of all.
  template <class Ask>
  auto each(Ask ask) const {
    std::vector<decltype(ask(*partitions_.front()))> of;
    of.reserve(partitions_.size());
    for (const auto& p : partitions_)
      of.push_back(ask(*p));
    return of;
  }
  template <class Ask>
  tally tally_of(std::optional<std::uint64_t> before, Ask ask) const;
  std::vector<incident> all_incidents(bool open_only) const;
  std::vector<workflow::bulk_act> all_bulk_acts() const;
  /// The incidents, or bulk acts, that are told as one with the one of that number; empty: there is none.
  std::vector<incident> incidents_of(std::uint64_t number) const;
  std::vector<workflow::bulk_act> bulk_acts_of(std::uint64_t number) const;

  std::vector<std::shared_ptr<local_store>> partitions_;
};

/// One store by itself, or several joined. Null: there are none.
std::shared_ptr<local_store> as_one(std::vector<std::shared_ptr<local_store>> partitions);

} // namespace steadfast::store
