#pragma once

#include "store/contract/write.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

// What the verbs decide: functions that take a write and what is known, and return rows and an answer. They are the
// same for every engine: an engine reads what they ask for and stores what they return. No decide_* file knows an
// engine (the test `layers` checks it).

namespace steadfast::store {

/// The answer to a write, and the row to store: in place of the existing one, or as a new one.
template <class Write, class Row>
struct decided {
  answer<Write> said;
  std::optional<Row> put{}; ///< absent: nothing changes
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

/// Notes that the task has changed as a consequence of a write.
inline void note(const workflow::task& t, other_changes& in) {
  in.numbers.push_back(t.number);
  if (!t.locked_by.empty())
    in.locked.push_back({t.locked_by, t.number});
}

} // namespace steadfast::store
