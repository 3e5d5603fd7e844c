// Methods for the store as a whole, and for tasks that go from one store to another. Files are on the node's host.

#include "runtime/control/control_context.hpp"
#include "runtime/text/json.hpp"
#include "store/upkeep/export_file.hpp"

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
  return check_json(c.store()->check());
}

json copy_store(const control_context& c, const api::arguments& params) {
  const whole_store_reading one_at_a_time{c};
  c.store_files()->copy(params.text("to"));
  return json::object();
}

json export_task(const control_context& c, const api::arguments& params) {
  const auto id = params.text("id");
  const auto from = c.store();
  view_of(c, id);
  if (const auto task = from->export_task(id))
    store::write_export(params.text("to"), *task);
  else // it was purged meanwhile
    throw api::error{api::error::not_found, "there is no task `" + id + "`"};
  return json::object();
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
