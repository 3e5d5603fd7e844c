#pragma once

#include "examples/checker/history/linearizable.hpp"

#include <cstdint>
#include <functional>
#include <optional>

namespace checker {

/// What a submission wants if the id is taken.
enum class on_conflict : std::uint8_t { same, refuse, replace };

/// What a client asked about one id, and what it was told.
struct client_call {
  enum class answer : std::uint8_t {
    none,     ///< of a submission: nobody knows whether it took place
    created,  ///< the submission made the task
    there,    ///< the task was there, with the same body
    stored,   ///< made or there: the question may have come twice, and made it the first time
    conflict, ///< it was there with another body
    replaced, ///< it was there and had not begun: it has this body now
    begun,    ///< it was there with another body, and has begun: nothing replaces it any more
    taken,    ///< it was there
    absent,   ///< the look found no task
    found,    ///< it found the task
    kept,     ///< in the end the task is there with this mark
  };
  answer told = answer::none;
  std::uint64_t body = 0;     ///< of a submission: the same number for the same body
  std::uint64_t revision = 0; ///< of a task that was found
  span_of_call span;
  std::uint64_t mark = 0; ///< by which the body can be told in the store; 0: it has none
  on_conflict wish = on_conflict::same;
};

/// An id as its clients see it: its task is made once, by whoever comes first, and its revision only grows. Until it
/// begins, submissions may replace its body; the one with which it was made still finds it.
struct id_model {
  struct state {
    bool is_there = false;
    std::uint64_t body = 0;
    std::uint64_t mark = 0;
    std::uint64_t first_body = 0;
    std::uint64_t revision = 0; ///< the highest that was seen
    bool has_begun = false;     ///< a client was told so
    friend bool operator==(const state&, const state&) = default;
  };

  static state initial() { return {}; }
  static std::optional<state> step(const state& s, const client_call& c);
  static bool are_alike(const client_call& a, const client_call& b) {
    return a.body == b.body && a.mark == b.mark && a.wish == b.wish;
  }
  static std::uint64_t hash_of(const state& s) {
    return std::hash<std::uint64_t>{}(s.revision * 31 + s.body + (s.is_there ? 1 : 0) + (s.has_begun ? 7 : 0));
  }
};

/// A lease as a mutex. `holder` is told that it has the lease, or that it has stopped to act, or a client who has it.
struct lease_call {
  enum class kind : std::uint8_t { acquired, released, seen };
  kind what = kind::acquired;
  std::uint64_t holder = 0; ///< one number for each life of a holder; of a look: 0 when nobody has it
  std::uint64_t epoch = 0;
  span_of_call span;
};

/// Its holder is alone, and has a higher epoch than everybody before. A look may find a holder that told nobody.
struct lease_model {
  struct state {
    std::uint64_t holder = 0; ///< 0: none
    std::uint64_t epoch = 0;
    friend bool operator==(const state&, const state&) = default;
  };

  static state initial() { return {}; }
  static std::optional<state> step(const state& s, const lease_call& c);
  static bool are_alike(const lease_call&, const lease_call&) { return false; }
  static std::uint64_t hash_of(const state& s) { return std::hash<std::uint64_t>{}(s.epoch * 31 + s.holder); }
};

} // namespace checker
