#pragma once

#include "store/contract/write.hpp"
#include "workflow/supervision/fair_share.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace steadfast::store {

/// Stands for the name of a workflow among waiting tasks. Two names may have the same tag, and then share their places.
std::uint32_t workflow_tag(std::string_view workflow);

/// Where a task waits for a scheduler; compared member by member.
struct waiting_place {
  std::uint8_t priority = 0;
  std::uint32_t tag = 0;   ///< of its workflow
  std::uint64_t group = 0; ///< of a task that has not begun, but may by the limit of its workflow; else 0
  std::uint64_t number = 0;

  friend auto operator<=>(const waiting_place&, const waiting_place&) = default;
};

/// The tasks that wait for a scheduler, as an engine knows them: those that may be taken now, and when the next may.
class waiting_tasks {
public:
  virtual ~waiting_tasks() = default;

  virtual std::uint64_t count() const = 0;
  /// When the first of the tasks that may not be taken yet may be taken; `never`: there is none.
  virtual workflow::instant next_due() const = 0;
  /// The first task whose place is `from` or comes after it.
  virtual std::optional<waiting_place> first(const waiting_place& from) const = 0;
  /// Up to `max` tasks with the priority, tag and group of `from`, at `from` or after it, the oldest first.
  virtual std::vector<std::uint64_t> numbers(const waiting_place& from, std::size_t max) const = 0;
};

/// By tag: the group with a place from which a task was taken last, as far as it is remembered.
using group_turns = std::map<std::uint32_t, std::uint64_t>;

/// The oldest task that may be taken now. Looks at one of each workflow, group and priority, at most oldest_looked_at.
std::optional<std::uint64_t> oldest_of(const waiting_tasks& all);
inline constexpr std::size_t oldest_looked_at = 1000;

/// Who is next for a scheduler: by priority, then by the shares of the workflows, then by age. In a workflow with a
/// limit, tasks that have begun take turns with those that have not, and among the latter the groups take turns (round
/// robin), whatever the numbers of their tasks. Looks at about as many tasks as it returns, however many wait; and at
/// as many workflows, plus those that have their share.
class waiting_line {
public:
  /// For up to `max` tasks. REQUIRES: `all` and `turns` outlive it.
  waiting_line(const waiting_tasks& all, const claim_tasks& w, std::size_t max, group_turns& turns);

  /// The task counts as taken. It may then leave `all`, and others of its group may enter.
  std::optional<std::uint64_t> next();

private:
  /// The tasks of a workflow with the current priority, as far as they were looked at.
  struct lane {
    std::uint32_t tag = 0;
    std::vector<std::uint64_t> numbers; ///< of no group; the oldest last
    std::uint64_t behind = 0;           ///< the last one of no group that was looked at
    bool any_in_groups = true;          ///< as far as is known
    bool is_turn_of_groups = false;
    std::map<std::uint64_t, std::uint64_t> given{}; ///< by group: its last task that was given
  };

  bool open_level();
  void open_lanes(std::uint32_t first, std::uint32_t last);
  std::optional<std::uint64_t> next_of(lane& x);
  std::optional<std::uint64_t> next_of_no_group(lane& x);
  std::optional<std::uint64_t> next_of_groups(lane& x);
  std::optional<waiting_place> next_group(lane& x, std::uint64_t from, std::uint64_t last) const;
  bool refill(lane& x);
  void close_lanes();

  const waiting_tasks& all_;
  std::size_t left_;
  workflow::places places_;
  std::map<std::uint32_t, std::uint64_t> loads_; ///< by tag
  std::uint32_t turn_;                           ///< the workflow after this one is first among equals
  unsigned level_ = 0;                           ///< the next priority to be looked at
  std::uint8_t priority_ = 0;                    ///< of the lanes
  std::vector<lane> lanes_;                      ///< those that may take something, in the order of their turns
  std::vector<std::uint64_t> lane_loads_;        ///< of those lanes
  group_turns& turns_;
};

} // namespace steadfast::store
