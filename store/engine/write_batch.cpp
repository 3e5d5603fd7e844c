#include "store/engine/write_batch.hpp"

#include "store/verbs/tasks/new_task.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace steadfast::store {

write_batch::write_batch(lmdb::transaction& txn, const tables& in, const committed& before, const settings& s)
    : txn_{txn},
      in_{in},
      before_{before},
      settings_{s},
      cache_{&before.definitions},
      see_{txn, in, cache_},
      count_{before.count},
      alerts_{before.alerts},
      transaction_{txn.number()},
      incidents_{txn, in, s.options->partition} {}

outcome write_batch::carry_out(const write& w) {
  const auto* const update = std::get_if<update_task>(&w);
  own_ = update != nullptr ? update->next.number : 0;
  is_submission_ = std::holds_alternative<submit_task>(w);
  news_.clear();
  try {
    auto o = std::visit([this](const auto& x) -> outcome { return make(x); }, w);
    o.tasks = std::move(news_);
    return o;
  } catch (const damaged_record& e) { // a verb reads what it needs before it writes anything
    return turned_down(write_status::refused, std::string{"a record it needs is damaged: "} + e.what());
  }
}

std::optional<std::string_view> write_batch::row_of(std::uint64_t number) const {
  if (const auto* const e = settings_.known->find(number); e != nullptr && !e->row.empty())
    return e->row;
  const auto row = txn_.get(in_.tasks, key{number});
  if (!row)
    need(number);
  return row;
}

void write_batch::need(const std::string& id) const {
  if (settings_.left != nullptr && !settings_.asked->ids.contains(id) && settings_.left->may_have(id))
    needed_.ids.push_back(id);
}

void write_batch::need(std::uint64_t number) const {
  if (settings_.left != nullptr && !settings_.asked->numbers.contains(number) && settings_.left->may_have(number))
    needed_.numbers.push_back(number);
}

const held_steps* write_batch::steps_held_of(std::uint64_t number) const {
  const auto* const e = settings_.known->find(number);
  return e != nullptr && !e->steps.empty() ? &e->steps : nullptr;
}

snapshot::known_task write_batch::read(std::uint64_t number, std::string_view row, bool whole) {
  try {
    auto found = see_.task_in(number, row, steps_held_of(number));
    if (whole)
      see_.complete(found);
    return found;
  } catch (const damaged_record& e) {
    before_.damage.report(number, e.what());
    throw;
  }
}

std::optional<snapshot::known_task> write_batch::load(std::uint64_t number, bool whole) {
  const auto row = row_of(number);
  return row ? std::optional{read(number, *row, whole)} : std::nullopt;
}

known_tasks::entry* write_batch::known(std::uint64_t number) {
  if (auto* const e = settings_.known->find(number))
    return e;
  const auto row = row_of(number);
  return row ? &settings_.known->add_read(number, outline_of(read(number, *row, false)), *row) : nullptr;
}

std::string_view write_batch::row_before(const known_tasks::entry& e, const key& k) const {
  if (!e.row.empty() || !e.shown)
    return e.row;
  return txn_.get(in_.tasks, k).value_or(std::string_view{});
}

void write_batch::put_row(known_tasks::entry& e, const workflow::task& t, const workflow::step_list& before) {
  const key k{t.number};
  task_state_view v{&t, e.now.revision, e.now.payload_size, &e.now.large, e.now.rows};
  step_places places;
  if (!t.steps.empty() && !have_rows(t.steps)) {
    if (before.size() == t.steps.size())
      v.before = {e.row, &before.stretch_of(0), &e.places};
    v.places = &places;
  }
  const auto row = encode_record(k, v);
  if (settings_.changes != nullptr)
    settings_.changes->on_task(t.number, row_before(e, k), row);
  settings_.known->hold(t.number, e, row);
  e.places = places;
}

void write_batch::place_tasks() {
  txn_.tell(nullptr); // which is told of each task, as it changes
  settings_.known->place(txn_, in_);
  txn_.tell(settings_.changes);
}

void write_batch::finish() {
  move_ids();
  put_ended_counts();
  put_endings();
  tell_of_incidents();
  incidents_.write();
  write_bulk_acts();
  if (count_ == before_.count)
    return;
  txn_.put(in_.meta, counters_key, encode_record(counters_key, count_));
}

void write_batch::tell(committed& what) const noexcept {
  what.count = count_;
  what.alerts = alerts_;
  for (const auto& [name, count] : ended_)
    what.ended[name] = count;
  for (const auto& [name, how] : endings_)
    what.endings[name] = how;
  what.definitions.add_all_of(cache_);
  what.recent.take_over(ids_, count_.last_task);
  for (const auto number : set_aside_)
    what.damage.forget(number);
  what.unfinished.note(moves_, transaction_);
  if (counts_again_)
    what.unfinished.begin_again(count_.last_task);
}

/// To count the pages takes as long as to put a row, so they are only counted again when there may be none left.
bool write_batch::has_room(std::uint64_t payload_size) {
  constexpr std::uint64_t pages_of_a_task = 32;
  constexpr std::uint64_t page_size_min = 4096;
  if (settings_.full != room::there)
    return false;
  const auto used = pages_of_a_task + payload_size / page_size_min;
  if (room_ < used)
    room_ = pages_left();
  const bool has = room_ > 0;
  room_ -= std::min(room_, used);
  return has;
}

std::uint64_t write_batch::pages_left() const {
  std::uint64_t pages = txn_.free_list_pages();
  for (const auto& t : all_tables)
    pages += txn_.pages(in_.*t.table);
  return settings_.pages_max - std::min(settings_.pages_max, pages);
}

decision write_batch::turned_down_full(workflow::instant now) {
  const bool is_disk = settings_.full == room::no_disk;
  auto d = no_room_for_work(*settings_.options, is_disk, now);
  if (auto& told = is_disk ? alerts_.of_disk : alerts_.of_pages; told == 0) {
    put(d.raised);
    told = count_.last_alert;
  }
  return std::move(d.said);
}

void write_batch::forget_seen_alerts() {
  for (auto* const told : {&alerts_.of_disk, &alerts_.of_pages})
    if (*told != 0 && !txn_.get(in_.open_alerts, key{*told}))
      *told = 0;
}

} // namespace steadfast::store
