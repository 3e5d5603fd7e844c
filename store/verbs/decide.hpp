#pragma once

#include "store/contract/write.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

// What the verbs decide: functions of a write and of what is known, to rows and what is said. They are the same for
// every engine, which reads what they ask for and puts what they say, so nothing in decide_* knows one (the test
// `layers`).

namespace steadfast::store {

/// What is said of a write, and the row to put in place of the one there was, or as a new one.
template <class Write, class Row>
struct decided {
  answer<Write> said;
  std::optional<Row> put{}; ///< absent: all stays
};

inline decision applied() {
  return {write_status::applied, {}};
}

inline decision turned_down(write_status v, std::string why) {
  return {v, std::move(why)};
}

inline decision no_such_task(std::uint64_t number) {
  return turned_down(write_status::absent, "there is no task with the number " + std::to_string(number));
}

/// It has changed in the wake of a write.
inline void note(const workflow::task& t, other_changes& in) {
  in.numbers.push_back(t.number);
  if (!t.locked_by.empty())
    in.locked.push_back({t.locked_by, t.number});
}

} // namespace steadfast::store
