// Reads and puts alerts, notices and late replies, as decide_note.hpp says.

#include "store/engine/write_batch.hpp"
#include "store/verbs/decide_note.hpp"
#include "store/verbs/decide_outward.hpp"
#include "store/verbs/tasks/decide_task.hpp"

#include <utility>

namespace steadfast::store {

void write_batch::put_notice(const workflow::task& t, const workflow::notice& what) {
  if (t.reply_to.empty())
    return;
  const key k = notice_key(t.reply_to, t.number, what.sequence);
  txn_.put(in_.notices, k, encode_record(k, notice_record{t.id, what}));
}

/// By which the alerts of a task are found again.
void write_batch::list_alert_of(std::uint64_t number, std::uint64_t alert) {
  if (number != 0)
    txn_.put(in_.task_alerts, key{number, alert}, {});
}

void write_batch::put(const raised_alert& x, std::optional<workflow::delivery_place> at,
                      std::optional<std::uint64_t> incident) {
  const auto alert = count_.last_alert = next_alert_number();
  const key k{alert};
  txn_.put(in_.alerts, k, encode_record(k, entry_of(x, alert)));
  txn_.put(in_.open_alerts, k, {});
  incidents_.join(alert, x, incident);
  list_alert_of(x.task_number, alert);
  tell_of(x, alert, at.value_or(place_of_alert(alert)));
}

decision write_batch::put_act(const record_act& what, act_place on) {
  const auto alert = count_.last_alert = next_alert_number();
  const key k{alert};
  auto d = decide(what, alert, std::move(on));
  txn_.put(in_.alerts, k, encode_record(k, *d.put));
  list_alert_of(d.put->task_number, alert);
  return std::move(d.said);
}

std::optional<record_act> write_batch::act_in(const update_task& w) {
  if (w.next.acts.empty() || w.bulk != 0)
    return std::nullopt;
  const auto there = load(w.next.number);
  return there ? act_of(w.next, there->state.task.acts) : std::nullopt;
}

void write_batch::put_late_reply(std::uint64_t number, const std::string& id, const workflow::late_reply& what) {
  late_reply_ring there;
  {
    const key begin{number};
    lmdb::cursor c{txn_, in_.late};
    if (c.seek(begin) && c.key().starts_with(begin.view()))
      there.first = key_reader{c.key().substr(sizeof(number))}.number<std::uint32_t>().value_or(0);
    if (c.seek_before(key{number + 1}) && c.key().starts_with(begin.view()))
      there.next = key_reader{c.key().substr(sizeof(number))}.number<std::uint32_t>().value_or(0) + 1;
  }
  const auto place = next_place(there);
  if (place.leaves)
    txn_.erase(in_.late, key{number, *place.leaves});
  const key k{number, place.at};
  txn_.put(in_.late, k, encode_record(k, late_reply_record{id, what}));
}

answer<keep_late_reply> write_batch::make(const keep_late_reply& w) {
  const auto there = load(w.number);
  auto said = decide(w, there.has_value());
  if (said.result == write_status::applied)
    put_late_reply(w.number, there->state.task.id, with_step_named(w.what, *there->definition));
  return said;
}

answer<acknowledge_alert> write_batch::make(const acknowledge_alert& w) {
  const key k{w.alert};
  known_alert there;
  if (const auto bytes = txn_.get(in_.alerts, k)) {
    there.is_there = true;
    there.entry = readable<alert_entry>(k, *bytes);
    there.holds = there.entry && holds_on(*there.entry);
  }
  const auto about = there.entry ? there.entry->task_number : 0;
  return put(decide(w, std::move(there)), w.alert, about, w.now);
}

void write_batch::acknowledge(alert_entry there, const std::string& who, workflow::instant now) {
  const auto alert = there.number;
  const auto about = there.task_number;
  const bool holds = holds_on(there);
  put(acknowledged(std::move(there), who, now, holds), alert, about, now);
}

decision write_batch::put(acknowledged_alert d, std::uint64_t alert, std::uint64_t task, workflow::instant now) {
  const key k{alert};
  if (d.put)
    txn_.put(in_.alerts, k, encode_record(k, *d.put));
  if (d.is_seen)
    txn_.erase(in_.open_alerts, k);
  if (d.leaves_incident)
    incidents_.leave(alert, task, now);
  return std::move(d.said);
}

answer<record_act> write_batch::make(const record_act& w) {
  return put_act(w, {});
}

answer<acknowledge_notices> write_batch::make(const acknowledge_notices& w) {
  if (auto wrong = problem_of(w))
    return *std::move(wrong);
  std::vector<std::string> seen;
  {
    const key begin{owner_key(w.observer).view(), w.number};
    lmdb::cursor c{txn_, in_.notices};
    for (bool more = c.seek(begin); more && c.key().starts_with(begin.view()); more = c.next()) {
      const auto sequence = key_reader{c.key().substr(begin.view().size())}.number<std::uint32_t>().value_or(0);
      if (!drops(w, sequence))
        break;
      seen.emplace_back(c.key());
    }
  }
  for (const auto& k : seen)
    txn_.erase(in_.notices, k);
  return applied();
}

} // namespace steadfast::store
