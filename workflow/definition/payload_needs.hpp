#pragma once

#include "workflow/definition/definition.hpp"
#include "workflow/schedule/schedule.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace steadfast::workflow {

/// The places that a workflow needs in a payload: those that members of inputs, of compensations' inputs and of its
/// result are taken from, unless optional, and those that waits and the limit use. Steps whose condition may not hold
/// count too. At a place that a wait of any other step goes by, there must be what it can use: an array of not too many
/// items, the key of an event, a moment, a time zone. Made once for many payloads.
class payload_needs {
public:
  explicit payload_needs(const definition& d);

  bool empty() const { return needs_.empty(); }

  /// A sentence for each place that the payload lacks, or has the wrong value at, naming who needs it; only a few if
  /// there are many.
  std::vector<std::string> problems(std::string_view payload) const;

private:
  /// In the tree of all pointers; the first is the whole document.
  struct place {
    std::map<std::string, std::size_t, std::less<>> below; ///< by unescaped token
  };
  struct need {
    std::string who; ///< "step `pay` needs for its input member `amount`"
    std::string pointer;
    std::size_t place;
    std::optional<wait_rule> wait{}; ///< that begins for certain, and must be able to go by the value
  };
  class finder;

  void add(const input_mapping& members, const std::string& who);
  std::size_t place_of(std::string_view pointer);

  std::vector<place> places_{1};
  std::vector<need> needs_;
};

/// Why `d`, its workflow, would accept no task of the schedule at that moment, one sentence each.
std::vector<std::string> problems(const schedule& s, const definition& d, instant moment);
/// Whether its tasks would begin with that version while there is no newer one.
bool is_for(const schedule& s, const definition& d);

} // namespace steadfast::workflow
