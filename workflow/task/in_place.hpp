#pragma once

#include "workflow/task/task.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace steadfast::workflow {

/// Why nothing has reversed what a step did.
enum class kept_because : std::uint8_t {
  undo_failed = 1,
  undo_waits = 2,     ///< the undo has not run: nobody asked for it, or another undo failed before
  no_compensation = 3 ///< the workflow has no compensation for it
};
std::string_view to_string(kept_because why); ///< "undo_failed"

/// What a step of a task did, or may have done, at a service, and nothing has reversed.
struct effect_in_place {
  std::size_t step = 0;
  kept_because why = kept_because::undo_failed;
  bool is_certain = true; ///< false: nobody knows whether it happened
  std::string agent;      ///< the agent that did it
  std::string key;        ///< the idempotency key, by which the service knows it
  instant since;          ///< when it happened; or, if that is not known, when the attempt began that may have done it
  std::string failure;    ///< why the undo failed
};

/// For a task that was undone or is in error; empty for one that goes on or was processed. A step that a person has
/// skipped after its undo failed counts as reversed by hand.
std::vector<effect_in_place> effects_in_place(const task& t, const definition& d);

} // namespace steadfast::workflow
