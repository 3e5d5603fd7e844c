#pragma once

#include "store/contract/local_store.hpp"

namespace steadfast::store {

/// Passes everything on to another store; a derived class overrides what it needs. For anything that sits between a
/// node and its store: the faults of a simulation, the counter of a test.
class wrapped_store : public local_store {
public:
  using state_store::commit;
  std::vector<outcome> commit(const write_list& batch) override { return real().commit(batch); }
  void share(std::function<void()> wake) override { real().share(std::move(wake)); }
  void save() override { real().save(); }
  std::optional<workflow::task> find(const std::string& id) const override { return real().find(id); }
  std::optional<workflow::task> find(std::uint64_t number) const override { return real().find(number); }
  std::optional<std::string> damage_of(const std::string& id) const override { return real().damage_of(id); }
  task_page list(const task_filter& filter, std::optional<std::uint64_t> before, std::size_t max) const override {
    return real().list(filter, before, max);
  }
  tally count_part(const task_filter& filter, std::optional<std::uint64_t> before) const override {
    return real().count_part(filter, before);
  }
  tally visit_part(const task_filter& filter, std::optional<std::uint64_t> before,
                   const task_visitor& use) const override {
    return real().visit_part(filter, before, use);
  }
  due_page overdue(workflow::instant now, std::optional<std::pair<workflow::instant, std::uint64_t>> after,
                   std::size_t max) const override {
    return real().overdue(now, after, max);
  }
  std::optional<workflow::definition> find_definition(const std::string& name, std::uint32_t version) const override {
    return real().find_definition(name, version);
  }
  std::vector<workflow::definition> definitions(const definition_place& after, std::size_t steps_max) const override {
    return real().definitions(after, steps_max);
  }
  std::vector<lease> leases(const workflow::clock_reading& clock) const override { return real().leases(clock); }
  std::vector<alert_entry> alerts(bool open_only, std::size_t max) const override {
    return real().alerts(open_only, max);
  }
  alert_list find_alerts(const alert_filter& filter, std::optional<std::uint64_t> before,
                         std::size_t max) const override {
    return real().find_alerts(filter, before, max);
  }
  incident_page incidents(bool open_only, std::optional<std::uint64_t> before, std::size_t max) const override {
    return real().incidents(open_only, before, max);
  }
  std::optional<incident> find_incident(std::uint64_t number) const override { return real().find_incident(number); }
  bulk_page bulk_acts(bool open_only, std::optional<std::uint64_t> before, std::size_t max) const override {
    return real().bulk_acts(open_only, before, max);
  }
  bulk_page find_bulk_act(std::uint64_t number) const override { return real().find_bulk_act(number); }
  std::vector<workflow::schedule_state> schedules(const std::string& after, std::size_t max) const override {
    return real().schedules(after, max);
  }
  std::optional<workflow::schedule_state> find_schedule(const std::string& name) const override {
    return real().find_schedule(name);
  }
  event_page events(const event_filter& filter, workflow::instant now, const std::string& after,
                    std::size_t max) const override {
    return real().events(filter, now, after, max);
  }
  std::optional<limit_queue> find_limit_queue(std::uint64_t number) const override {
    return real().find_limit_queue(number);
  }
  std::optional<items_undo> find_items_undo(std::uint64_t number, std::uint32_t step) const override {
    return real().find_items_undo(number, step);
  }
  std::vector<notice_entry> notices(const std::string& observer, std::uint64_t after_number,
                                    std::uint32_t after_sequence, std::size_t max) const override {
    return real().notices(observer, after_number, after_sequence, max);
  }
  std::vector<late_reply_entry> late_replies(std::optional<std::uint64_t> task, std::size_t max) const override {
    return real().late_replies(task, max);
  }
  std::vector<set_aside_damaged> damaged() override { return real().damaged(); }
  std::optional<exported_task> export_task(const std::string& id) const override { return real().export_task(id); }
  store_counts counts() const override { return real().counts(); }
  file_figures sizes() const override { return real().sizes(); }
  check_report check() const override { return real().check(); }
  void expect_newest() const override { real().expect_newest(); }
  void copy(const std::filesystem::path& to) const override { real().copy(to); }
  std::vector<std::uint32_t> awaited_by() override { return real().awaited_by(); }
  void prepare_to_let_go(const waiting& wait) override { real().prepare_to_let_go(wait); }
  void let_go() override { real().let_go(); }

protected:
  /// May throw store_error while there is none.
  virtual local_store& real() const = 0;
};

} // namespace steadfast::store
