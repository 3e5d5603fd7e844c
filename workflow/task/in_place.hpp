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
  undo_waits = 2,     ///< it has not run: nobody asked for it, or another undo failed before it came to this one
  no_compensation = 3 ///< the workflow has none for it
};
std::string_view to_string(kept_because why); ///< "undo_failed"

/// What a step of a task did, or may have done, at a service, and what is still so.
struct effect_in_place {
  std::size_t step = 0;
  kept_because why = kept_because::undo_failed;
  bool is_certain = true; ///< false: nobody knows whether it happened
  std::string agent;      ///< that did it
  std::string key;        ///< the idempotency key, by which the service knows it
  instant since;          ///< it happened; or, when that is not known, the attempt began that may have done it
  std::string failure;    ///< of the undo
};

/// Of a task that was undone or is in error; nothing of one that goes on, or was processed. A step that a person has
/// skipped after its undo failed counts as reversed by hand.
std::vector<effect_in_place> effects_in_place(const task& t, const definition& d);

} // namespace steadfast::workflow
