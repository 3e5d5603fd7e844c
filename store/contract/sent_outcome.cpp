#include "store/contract/sent_outcome.hpp"

namespace steadfast::store {

namespace {

// What a result says with each field.

void put(outcome_fields&, const no_result&) {}
void put(outcome_fields& f, const submit_result& r) {
  f.created = r.created;
  f.number = r.number;
  f.state = r.state;
}
void put(outcome_fields& f, const update_result& r) {
  f.revision = r.revision;
}
void put(outcome_fields& f, const claim_result& r) {
  f.next = r.next;
  f.more = r.more;
}
void put(outcome_fields& f, const free_result& r) {
  f.number = r.freed;
  f.more = r.more;
}
void put(outcome_fields& f, const import_result& r) {
  f.number = r.number;
  f.state = r.state;
}
void put(outcome_fields& f, const register_result& r) {
  f.created = r.created;
}
void put(outcome_fields& f, const lease_result& r) {
  f.number = r.epoch;
}
void put(outcome_fields& f, const purge_result& r) {
  f.number = r.purged;
  f.next = r.next;
  f.more = r.more;
  f.reached = r.reached;
}
void put(outcome_fields& f, const incident_result& r) {
  f.number = r.acknowledged;
  f.more = r.more;
}
void put(outcome_fields& f, const conditions_result& r) {
  f.number = r.raised;
}
void put(outcome_fields& f, const bulk_result& r) {
  f.number = r.number;
}
void put(outcome_fields& f, const event_result& r) {
  f.number = r.number;
  f.revision = r.taken;
  f.more = r.more;
  f.created = r.again;
}
void put(outcome_fields& f, const schedule_result& r) {
  f.created = r.changed;
  f.number = r.made;
  f.next = r.next;
  f.more = r.more;
}
/// It is passed on.
void put(outcome_fields& f, const any_result& r) {
  put(f, static_cast<const submit_result&>(r));
  put(f, static_cast<const update_result&>(r));
  put(f, static_cast<const purge_result&>(r));
}

} // namespace

outcome_fields fields_of(const outcome& x) {
  outcome_fields f;
  x.visit([&f](const auto& result) { put(f, result); });
  return f;
}

const std::vector<workflow::task>& tasks_of(const outcome& x) {
  static const std::vector<workflow::task> none;
  return x.is<claim_result>() || x.is<any_result>() ? x.as<claim_result>().tasks : none;
}

outcome outcome_of(decision d, outcome_fields f) {
  return {std::move(d), any_result{
                          {f.created, f.number, f.state},
                          {f.revision},
                          {std::move(f.tasks), f.next, f.more},
                          {f.number, f.more},
                          {f.number, f.state},
                          {f.created},
                          {f.number},
                          {f.number, f.next, f.more, f.reached},
                          {f.number, f.more},
                          {f.number},
                          {f.number},
                          {f.number, f.revision, f.more, f.created},
                          {f.created, f.number, f.next, f.more},
                          {},
                        }};
}

} // namespace steadfast::store
