#pragma once

#include "workflow/definition/definition.hpp"
#include "workflow/schedule/schedule.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace steadfast::workflow {

/// The places of a payload that a workflow cannot do without: those that members of inputs, of compensations' inputs
/// and of its result are taken from, unless they are optional, and those that waits and the limit go by. Steps count
/// too whose condition may not hold. Made once for many payloads.
class payload_needs {
public:
  explicit payload_needs(const definition& d);

  bool empty() const { return needs_.empty(); }

  /// A sentence for each place that the payload lacks, naming who needs it; but a few for a payload that lacks many.
  std::vector<std::string> problems(std::string_view payload) const;

private:
  /// Of the tree of all pointers; the first is the whole document.
  struct place {
    std::map<std::string, std::size_t, std::less<>> below; ///< by unescaped token
  };
  struct need {
    std::string who; ///< "step `pay` needs for its input member `amount`"
    std::string pointer;
    std::size_t place;
  };
  class finder;

  void add(const input_mapping& members, const std::string& who);
  std::size_t place_of(std::string_view pointer);

  std::vector<place> places_{1};
  std::vector<need> needs_;
};

/// Why `d`, its workflow, would take no task of it at that moment: a sentence each.
std::vector<std::string> problems(const schedule& s, const definition& d, instant moment);
/// Its tasks would begin with that version as long as there is no newer one.
bool is_for(const schedule& s, const definition& d);

} // namespace steadfast::workflow
