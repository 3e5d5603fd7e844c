#include "store/lmdb/incident_book.hpp"

#include "store/lmdb/prefix_scan.hpp"
#include "store/records/record.hpp"
#include "store/verbs/decide_incident.hpp"

#include <xxhash.h>

#include <algorithm>

namespace steadfast::store {

namespace {

key digest_key(const workflow::incident_signature& s) {
  const auto digest = digest_of(s);
  return key{digest[0], digest[1]};
}

} // namespace

std::array<std::uint64_t, 2> digest_of(const workflow::incident_signature& s) {
  std::string text;
  for (const auto* part : {&s.kind, &s.agent, &s.workflow, &s.step, &s.cause})
    text += std::to_string(part->size()) + ":" + *part;
  const auto hash = XXH3_128bits(text.data(), text.size());
  return {hash.low64, hash.high64};
}

incident* incident_book::find(std::uint64_t number) {
  if (const auto known = changed_.find(number); known != changed_.end())
    return &known->second;
  const key k{number};
  const auto bytes = txn_.get(in_.incidents, k);
  auto read = bytes ? readable<incident>(k, *bytes) : std::nullopt;
  return read ? &changed_.emplace(number, std::move(*read)).first->second : nullptr;
}

std::optional<std::uint64_t> incident_book::incident_of(std::uint64_t alert) const {
  const key begin{alert};
  const auto found = numbers_with(txn_, in_.alert_incidents, begin, begin, 1);
  return found.empty() ? std::nullopt : std::optional{found.front()};
}

std::vector<std::uint64_t> incident_book::alerts_of(std::uint64_t incident, std::uint64_t after,
                                                    std::size_t max) const {
  return numbers_with(txn_, in_.incident_alerts, key{incident}, key{incident, after + 1}, max);
}

template <class Condition>
std::vector<incident> incident_book::open_where(Condition holds) const {
  std::vector<incident> all;
  lmdb::cursor c{txn_, in_.incidents};
  for (bool more = c.first(); more; more = c.next())
    if (auto x = as_it_is(c); x && x->closed_at == workflow::unset && holds(*x))
      all.push_back(*std::move(x));
  return all;
}

std::vector<incident> incident_book::open_conditions() const {
  return open_where([](const incident& x) { return x.is_condition; });
}

std::vector<std::uint64_t> incident_book::open_ones(std::string_view kind, std::string_view workflow,
                                                    std::string_view cause) const {
  std::vector<std::uint64_t> numbers;
  const auto is_meant = [&](const incident& i) {
    return i.what.kind == kind && i.what.workflow == workflow && i.what.cause.starts_with(cause);
  };
  for (const auto& x : open_where(is_meant))
    numbers.push_back(x.number);
  return numbers;
}

std::optional<incident> incident_book::as_it_is(const lmdb::cursor& c) const {
  const auto known = changed_.find(last_number(c.key()));
  return known != changed_.end() ? std::optional{known->second} : readable<incident>(c.key(), c.value());
}

bool incident_book::is_there_already(std::uint64_t incident, std::uint64_t task_number, std::uint64_t but_for) const {
  const key begin{task_number};
  bool is_there = false;
  each_with(txn_, in_.task_alerts, begin, begin, [&](const lmdb::cursor& c) {
    const auto alert = last_number(c.key());
    is_there = alert != but_for && txn_.get(in_.alert_incidents, key{alert, incident});
    return !is_there;
  });
  return is_there;
}

void incident_book::join(std::uint64_t alert, const raised_alert& x, std::optional<std::uint64_t> number) {
  auto* const named = number ? find(*number) : nullptr;
  auto& to = named != nullptr ? *named : to_join(x);
  store::join(to, x, x.task_number != 0 && !is_there_already(to.number, x.task_number, alert));
  if (to.alerts == 1)
    turns_.push_back({to, false});
  txn_.put(in_.incident_alerts, key{to.number, alert}, {});
  txn_.put(in_.alert_incidents, key{alert, to.number}, {});
}

incident& incident_book::to_join(const raised_alert& x) {
  std::optional<std::uint64_t> last;
  {
    const key begin = digest_key(x.signature);
    lmdb::cursor c{txn_, in_.incident_keys};
    for (bool more = c.seek(begin); more && c.key().starts_with(begin.view()); more = c.next())
      last = last_number(c.key());
  }
  auto* const known = last ? find(*last) : nullptr;
  return known != nullptr && goes_on_with(*known, x.what.at) ? *known : open(x);
}

incident& incident_book::open(const raised_alert& x) {
  drop_old();
  const auto number = next_number();
  txn_.put(in_.incident_keys, key{digest_key(x.signature).view(), number}, {});
  return changed_[number] = opened_by(x, number);
}

/// The newest one is never dropped, so a number is never given twice.
std::uint64_t incident_book::next_number() {
  if (last_number_ == 0)
    if (lmdb::cursor c{txn_, in_.incidents}; c.last())
      last_number_ = last_number(c.key());
  return last_number_ = workflow::next_number(numbers_, last_number_);
}

void incident_book::drop_old() {
  if (txn_.entries(in_.incidents) < incidents_kept)
    return;
  std::vector<incident> oldest;
  {
    lmdb::cursor c{txn_, in_.incidents};
    std::size_t looked_at = 0;
    for (bool more = c.first(); more && looked_at < old_incidents_max; more = c.next(), ++looked_at)
      if (auto x = as_it_is(c))
        oldest.push_back(*std::move(x));
  }
  const auto old = incidents_to_drop(std::move(oldest));
  for (const auto& x : old) {
    changed_.erase(x.number);
    txn_.erase(in_.incidents, key{x.number});
    txn_.erase(in_.incident_keys, key{digest_key(x.what).view(), x.number});
  }
}

void incident_book::leave(std::uint64_t alert, std::uint64_t task_number, workflow::instant now) {
  const auto number = incident_of(alert);
  if (!number)
    return;
  txn_.erase(in_.incident_alerts, key{*number, alert});
  txn_.erase(in_.alert_incidents, key{alert, *number});
  auto* const from = find(*number);
  if (from == nullptr)
    return;
  store::leave(*from, task_number != 0 && !is_there_already(*number, task_number, alert), now);
  if (from->alerts == 0)
    turns_.push_back({*from, true});
}

void incident_book::write() {
  for (const auto& [number, x] : changed_) {
    const key k{number};
    const auto record = encode_record(k, x);
    if (txn_.get(in_.incidents, k) != record)
      txn_.put(in_.incidents, k, record);
  }
  changed_.clear();
}

} // namespace steadfast::store
