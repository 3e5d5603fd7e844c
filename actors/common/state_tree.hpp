#pragma once

#include "actors/protocol/messages.hpp"
#include "workflow/text/split.hpp"
#include "workflow/time/time.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// How actors describe their state. JSON text is made piece by piece: nested braces of the JSON library cost seconds
// each at compile time.

namespace steadfast::actors {

/// One value as JSON text.
class state_value {
public:
  state_value(bool yes) : json_{yes ? "true" : "false"} {}
  template <std::integral Number>
  state_value(Number n) : json_{std::to_string(n)} {}
  state_value(std::string_view text); ///< invalid UTF-8 is replaced: ids and reasons come from outside
  state_value(const std::string& text) : state_value{std::string_view{text}} {}
  state_value(const char* text) : state_value{std::string_view{text}} {}
  /// RFC 3339; null if it is unset or never.
  state_value(workflow::instant t);

  /// An array of values that are JSON texts already.
  static state_value array(const std::vector<std::string>& values);

  const std::string& json() const { return json_; }

private:
  state_value() = default;

  std::string json_;
};

struct state_member {
  const char* name;
  state_value value;
};

/// A JSON object: `state_tree{{"tasks", 3}, {"draining", false}}`. The order is kept.
class state_tree {
public:
  state_tree() = default;
  state_tree(std::initializer_list<state_member> members) { add(members); }

  void add(std::initializer_list<state_member> members);
  std::string json() const { return "{" + members_ + "}"; }

private:
  std::string members_;
};

/// The first `max` of the entries, and how many more there are. `render` makes a tree or a value from an entry.
template <class Entries, class Render>
state_value listed(const Entries& entries, std::size_t max, Render render) {
  std::vector<std::string> values;
  for (const auto& e : entries) {
    if (values.size() == max) {
      values.push_back(state_tree{{"more", entries.size() - max}}.json());
      break;
    }
    values.push_back(render(e).json());
  }
  return state_value::array(values);
}

inline actor_state state_of(std::string summary, const state_tree& tree, std::uint64_t open = 0) {
  return {std::move(summary), open, tree.json()};
}

using workflow::counted;

} // namespace steadfast::actors
