#pragma once

#include "store/contract/state_store.hpp"
#include "workflow/transition/transition.hpp"

#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>

/// Tasks of one step, of which the benchmarks fill stores.
namespace bench {

inline steadfast::workflow::instant now() {
  return std::chrono::time_point_cast<steadfast::workflow::span>(std::chrono::system_clock::now());
}

inline steadfast::workflow::definition parcel() {
  steadfast::workflow::definition d;
  d.name = "parcel";
  d.version = 1;
  d.steps.resize(1);
  d.steps[0].name = "send";
  d.steps[0].agent = "sender";
  d.steps[0].compensation = steadfast::workflow::compensation{};
  d.steps[0].compensation->agent = "sender";
  return d;
}

inline steadfast::workflow::submission parcel_called(const std::string& id) {
  steadfast::workflow::submission s;
  s.id = id;
  s.workflow = "parcel";
  s.payload = steadfast::workflow::blob{R"({"from":"Oslo","to":"Lisbon","weight":3})"};
  return s;
}

/// What becomes of a parcel by an event. Throws std::logic_error when it is refused.
inline steadfast::store::update_task update_of(const steadfast::workflow::task& t,
                                               const steadfast::workflow::event& what) {
  auto change = steadfast::workflow::apply(t, parcel(), what, now());
  if (change.result != steadfast::workflow::event_status::applied)
    throw std::logic_error{change.reason};
  steadfast::store::update_task u;
  u.next = std::move(change.next);
  u.lock_epoch_before = t.lock_epoch;
  return u;
}

/// Of a parcel that was claimed.
inline steadfast::workflow::attempt_succeeded sent(const steadfast::workflow::task& t) {
  return {{0, t.steps[0].attempt, t.lock_epoch}, steadfast::workflow::blob{R"({"sent":true})"}, {}};
}

} // namespace bench
