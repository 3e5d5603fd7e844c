// Alerts for people, notices for observers, late replies kept as evidence.

#include "store/write_batch.hpp"

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

void write_batch::put_alert(std::uint64_t number, const std::string& id, const workflow::alert& what,
                            const workflow::incident_signature& signature, bool is_condition) {
  const std::uint64_t alert = ++count_.last_alert;
  const key k{alert};
  txn_.put(in_.alerts, k, encode_record(k, alert_entry{alert, number, id, what, {}, workflow::unset}));
  txn_.put(in_.open_alerts, k, {});
  incidents_.join({alert, number, id, what, signature, is_condition});
  list_alert_of(number, alert);
}

void write_batch::put_act(std::uint64_t number, const std::string& id, const record_act& what) {
  const std::uint64_t alert = ++count_.last_alert;
  const key k{alert};
  const workflow::alert told{"act", what.what + (what.why.empty() ? "" : ": " + what.why), {}, what.now};
  txn_.put(in_.alerts, k, encode_record(k, alert_entry{alert, number, id, told, what.who, what.now}));
  list_alert_of(number, alert);
}

void write_batch::put_late_reply(std::uint64_t number, const std::string& id, const workflow::late_reply& what) {
  std::uint32_t first = 0;
  std::uint32_t next = 0;
  {
    const key begin{number};
    lmdb::cursor c{txn_, in_.late};
    if (c.seek(begin) && c.key().starts_with(begin.view()))
      first = key_reader{c.key().substr(sizeof(number))}.number<std::uint32_t>().value_or(0);
    if (c.seek_before(key{number + 1}) && c.key().starts_with(begin.view()))
      next = key_reader{c.key().substr(sizeof(number))}.number<std::uint32_t>().value_or(0) + 1;
  }
  if (next - first >= late_replies_max)
    txn_.erase(in_.late, key{number, first});
  const key k{number, next};
  txn_.put(in_.late, k, encode_record(k, late_reply_record{id, what}));
}

answer<keep_late_reply> write_batch::make(const keep_late_reply& w) {
  const auto known = load(w.number);
  if (!known)
    return turned_down(verdict::absent, "there is no task with the number " + std::to_string(w.number));
  put_late_reply(w.number, known->state.task.id, w.what);
  return applied();
}

answer<acknowledge_alert> write_batch::make(const acknowledge_alert& w) {
  const key k{w.alert};
  const auto bytes = txn_.get(in_.alerts, k);
  if (!bytes)
    return turned_down(verdict::absent, "there is no alert with the number " + std::to_string(w.alert));
  try {
    acknowledge(k, decode_record<alert_entry>(k, *bytes), w.who, w.now);
  } catch (const damaged_record&) { // nobody can read it any more; it only leaves the lists
    txn_.erase(in_.open_alerts, k);
    incidents_.leave(w.alert, 0, w.now);
  }
  return applied();
}

/// The first word stands.
void write_batch::acknowledge(const key& k, alert_entry entry, const std::string& who, workflow::instant now) {
  if (entry.acknowledged_at == workflow::unset) {
    entry.acknowledged_by = who;
    entry.acknowledged_at = now;
    txn_.put(in_.alerts, k, encode_record(k, entry));
    txn_.erase(in_.open_alerts, k);
  }
  if (!holds_on(entry))
    incidents_.leave(entry.number, entry.task_number, now);
}

answer<record_act> write_batch::make(const record_act& w) {
  put_act(0, {}, w);
  return applied();
}

answer<acknowledge_notices> write_batch::make(const acknowledge_notices& w) {
  if (w.observer.empty() || w.observer.size() > workflow::task_id_size_max)
    return turned_down(verdict::absent, "there is no such observer");
  std::vector<std::string> seen;
  {
    const key begin{owner_key(w.observer).view(), w.number};
    lmdb::cursor c{txn_, in_.notices};
    for (bool more = c.seek(begin); more && c.key().starts_with(begin.view()); more = c.next()) {
      const auto sequence = key_reader{c.key().substr(begin.view().size())}.number<std::uint32_t>().value_or(0);
      if (sequence > w.sequence)
        break;
      seen.emplace_back(c.key());
    }
  }
  for (const auto& k : seen)
    txn_.erase(in_.notices, k);
  return applied();
}

} // namespace steadfast::store
