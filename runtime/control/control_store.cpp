// Methods for the store as a whole, and for tasks that go from one store to another. Files are on the node's host.

#include "runtime/control/control_context.hpp"
#include "runtime/text/json.hpp"
#include "store/upkeep/export_file.hpp"
#include "workflow/task/partition.hpp"

#include <atomic>
#include <chrono>

namespace steadfast {

using nlohmann::json;

json show_store_stats(const control_context& c, const api::arguments&) {
  return stats_json(*c.ask<actors::boxed<store::store_stats>>(c.parts.reader, actors::show_stats{}));
}

namespace {

/// Reading the whole store occupies one of the few threads of the control channel for long: one method at a time, so
/// that the other threads are free for short questions.
class whole_store_reading {
public:
  explicit whole_store_reading(const control_context& c) : is_under_way_{c.is_store_read_whole} {
    if (is_under_way_.exchange(true))
      throw api::error{api::error::busy, "the store is being checked or copied already", again_after};
  }
  ~whole_store_reading() { is_under_way_ = false; }
  whole_store_reading(const whole_store_reading&) = delete;
  whole_store_reading& operator=(const whole_store_reading&) = delete;

private:
  static constexpr std::chrono::seconds again_after{10};
  std::atomic<bool>& is_under_way_;
};

} // namespace

json check_store(const control_context& c, const api::arguments&) {
  const whole_store_reading one_at_a_time{c};
  store::check_report all;
  for (const auto& [where, s] : c.stores()) {
    const auto found = s->check();
    all.records += found.records;
    all.tasks += found.tasks;
    for (const auto& fault : found.faults)
      all.faults.push_back(where + fault);
  }
  auto told = check_json(all);
  const auto own = c.parts.own->get();
  for (std::size_t i = 0; own.count() < own.partitions.size() && i < own.partitions.size(); ++i)
    if (!own.partitions[i].store)
      told["partitions_elsewhere"].push_back(i);
  return told;
}

json copy_store(const control_context& c, const api::arguments& params) {
  const whole_store_reading one_at_a_time{c};
  c.store_files()->copy(params.text("to"));
  return json::object();
}

json export_task(const control_context& c, const api::arguments& params) {
  const auto id = params.text("id");
  const auto all = c.stores();
  const auto number = view_of(c, id).task->number;
  for (const auto& [where, s] : all)
    if (const auto task = s->export_task(id)) {
      store::write_export(params.text("to"), *task);
      return json::object();
    }
  const auto own = c.parts.own->get();
  const auto count = static_cast<std::uint32_t>(own.partitions.size());
  const auto partition = workflow::partition_of_number(number, count);
  if (!own.partitions[partition].store)
    throw api::error{api::error::refused, "task `" + id + "` is in partition " + std::to_string(partition)
                                            + " of the store, which another node has: ask that one"};
  throw api::error{api::error::not_found, "there is no task `" + id + "`"}; // it was purged meanwhile
}

json import_task(const control_context& c, const api::arguments& params) {
  store::import_task what;
  what.what = store::read_export(params.text("from"));
  what.who = params.text("who");
  what.why = params.text("why");
  const auto id = what.what.task.id;
  const auto outcome = c.write(std::move(what));
  if (outcome.result != store::write_status::applied)
    throw api::error{api::error::refused, outcome.why};
  return imported_json(id, outcome);
}

} // namespace steadfast
