#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace steadfast::workflow {

struct definition;

/// Which step comes after which, by position, so that no step is looked up by name while tasks run. Made in one pass
/// over a definition.
class definition_graph {
public:
  using positions = std::span<const std::uint32_t>;

  /// Names in `after` that no step has are ignored.
  explicit definition_graph(const definition& d);

  /// The position of the step of that name. REQUIRES: d is what this was made from.
  std::optional<std::size_t> find(const definition& d, std::string_view name) const;

  positions before(std::size_t i) const { return before_.of(i); }     ///< directly
  positions after(std::size_t i) const { return after_.of(i); }       ///< directly
  positions asked_by(std::size_t i) const { return asked_by_.of(i); } ///< the steps whose conditions or waits name it

  bool any_starts_child() const { return any_starts_child_; }

  /// Each step after all that come before it; the steps of a cycle are missing.
  positions in_order() const { return in_order_; }

private:
  /// A list for each step, all stored in one vector.
  struct lists {
    std::vector<std::uint32_t> begins{0};
    std::vector<std::uint32_t> all;

    positions of(std::size_t i) const { return positions{all}.subspan(begins[i], begins[i + 1] - begins[i]); }
  };
  static lists turned_round(const lists& l);
  void put_in_order();

  std::vector<std::uint32_t> by_name_; ///< the first step with each name
  lists before_;
  lists after_;
  lists asked_by_;
  std::vector<std::uint32_t> in_order_;
  bool any_starts_child_ = false;
};

/// The graph of a definition that no longer changes, kept with it. A copy of the definition may be changed, so it has
/// no graph.
class kept_graph {
public:
  kept_graph() = default;
  kept_graph(const kept_graph&) {}
  kept_graph(kept_graph&&) = default;
  kept_graph& operator=(const kept_graph&) {
    graph_ = nullptr;
    return *this;
  }
  kept_graph& operator=(kept_graph&&) = default;
  ~kept_graph() = default;

  void make_for(const definition& d) { graph_ = std::make_unique<const definition_graph>(d); }
  explicit operator bool() const { return graph_ != nullptr; }
  const definition_graph& operator*() const { return *graph_; }
  const definition_graph* operator->() const { return graph_.get(); }

  friend bool operator==(const kept_graph&, const kept_graph&) { return true; } ///< it has no value of its own

private:
  std::unique_ptr<const definition_graph> graph_;
};

} // namespace steadfast::workflow
