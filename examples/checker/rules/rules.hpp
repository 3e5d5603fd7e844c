#pragma once

#include "examples/checker/history/evidence.hpp"
#include "examples/checker/rules/findings.hpp"

namespace checker {

/// The rules; docs/checker.md says the same at more length.
///
/// E1  Each task that was acknowledged, or that the store has, is in the store once and in exactly one of the outcomes
///     processed, undone and error. Every outcome that a client was told is the one in the store, unless a person acted
///     on the task. Unfinished tasks are violations unless they are allowed.
/// E2  Each task in the store was submitted, and not every submission of it was refused for good, or a step of another
///     task started it. Needs a client log.
/// E3  Under each key of a do at most one effect was created, and under each key of an undo at most one was undone.
/// E4  Each step of a processed task is completed or skipped, and each completed one has an effect in place.
/// E5  In an undone task no step with an undo is left completed, unknown or half undone, none of its effects is in
///     place, and each compensated one shows an undo. In every task: no effect is created after its undo.
/// E6  No do of a step has a higher attempt than the one that completed it, in the effect logs or in the store.
/// E7  A do arrives after an effect of each step before it, except skipped ones; an undo arrives after the
///     undo of each step behind it. The latter does not hold where an undo failed for good (the task has an alert).
/// E8  A do has at most attempts_limit attempts, not counting declined or stopped ones, and that many more for each act
///     of a person.
/// E9  Along the attempts of a step the epochs never fall, in the store and in the effect logs.
/// E10 All tries of a step carry one key, and all of its undo another, one more for each act of a person; an undo names
///     the key of the do; no key is used for two things.
/// E11 Each task in error has an alert. Needs the alerts.
/// E12 Each line of the effect logs names a task and a step that the store has, an attempt up to the step's, and agrees
///     with the store's story of that attempt: the same action, and no higher epoch.
/// E13 The answers to clients about an id can be put in one order, each between its question and its arrival, in which
///     the id's task is made once, other bodies are refused, and revisions never fall; and a lease has one holder under
///     each epoch, and epochs never fall. Needs a client log with calls.
/// E14 A step takes only an event that was sent to its task, and no task takes one twice. One that was acknowledged
///     before the step began, or as taken by all, is taken. Needs a wake log, as E15 and E16 do.
/// E15 An attempt that ends later ends as a token's holder said, and what was acknowledged is what happened. One ending
///     of a token is acknowledged at most; after it the time is not extended, and after a failure for good nothing is
///     sent.
/// E16 A step that asks a person has an answer that was given, and the one that was acknowledged.
/// E17 When a task is processed, so is each child that a completed step started, and each of its items; when it is
///     undone, so are all its children. Tasks that a person acted on are left out.
/// E18 Of the tasks with one key, at most `limit` are under way at a time, from the first call that a service saw to
///     the last effect or undo, their children's included. Needs a client log with limits.
/// E19 A step that slept well did so for as long as it should. Tasks that a person acted on are left out. Needs a
///     client log with sleeps.
/// E20 Of the tasks with one key, at most `limit` begin within the time of their rate. Needs a client log with rates.
/// E21 A schedule that is known has one task for a moment at most. The moment is in its id and its payload, is one of
///     the schedule's, and by the clock of the store the task was not made before it.
/// E22 Of a schedule that does not allow it, no two tasks are under way at a time, as in E18.
/// E23 A repeated step of a processed task was completed by an attempt whose service answered that it had finished;
///     once such an answer has arrived, it is not called again; and it is not called more often than it may be.
/// E24 All calls of a task whose payload has a mark carry the mark that the store has: with E13, that of the last
///     submission which replaced it.
findings check(const history& h, const settings& s);

// By subject; each fills the findings for which it is called.

void check_outcomes(const sorted_history& h, finding& e1, finding& e2);
void check_keys(const sorted_history& h, finding& e3, finding& e10);
void check_processed(const sorted_history& h, const task_case& c, finding& e4);
void check_undone(const sorted_history& h, const task_case& c, finding& e5);
void check_not_repeated(const sorted_history& h, const task_case& c, finding& e6);
void check_order(const sorted_history& h, const task_case& c, finding& e7);
void check_limits(const sorted_history& h, const task_case& c, finding& e8);
void check_epochs(const sorted_history& h, const task_case& c, finding& e9);
void check_one_key(const sorted_history& h, const task_case& c, finding& e10);
void check_alert(const sorted_history& h, const task_case& c, finding& e11);
void check_explained(const sorted_history& h, finding& e12);
void check_linearizable(const sorted_history& h, finding& e13);
void check_events(const sorted_history& h, const task_case& c, finding& e14);
void check_tokens(const sorted_history& h, const task_case& c, finding& e15);
void check_answers(const sorted_history& h, const task_case& c, finding& e16);
void check_children(const sorted_history& h, const task_case& c, finding& e17);
void check_sleeps(const sorted_history& h, const task_case& c, finding& e19);
void check_moments(const sorted_history& h, finding& e21);
void check_calls(const sorted_history& h, const task_case& c, finding& e23);
void check_marks(const sorted_history& h, const task_case& c, finding& e24);

/// The attempt that completed the step, as far as the store and the services tell.
std::optional<std::uint32_t> completing_attempt(const step& s, const evidence& seen);

/// So many tasks of a group are under way at a time.
struct limit_of_group {
  names::id key = 0;
  std::uint32_t limit = 0; ///< 0: any number
};
limit_of_group limit_of_client(const sorted_history& h, const task& submitted);
limit_of_group limit_of_schedule(const sorted_history& h, const task& submitted);

/// E18, E22: when the tasks with a limit were under way for certain.
class tasks_under_way {
public:
  using limit_of = limit_of_group (*)(const sorted_history& h, const task& submitted);

  tasks_under_way(const sorted_history& h, limit_of limit) : h_{h}, limit_{limit} {}

  void note(const task_case& c);
  void check_limits(finding& f) const;

private:
  struct span {
    limit_of_group of;
    std::optional<std::int64_t> began_ns;
    std::int64_t ended_ns = 0; ///< not before this
  };

  const sorted_history& h_;
  limit_of limit_;
  std::unordered_map<names::id, span> spans_; ///< by the task that was submitted
};

/// E20: when the tasks with a rate began, by the clock of the store.
class beginnings {
public:
  explicit beginnings(const sorted_history& h) : h_{h} {}

  void note(const task_case& c, finding& e20);
  void check_rates(finding& e20);

private:
  struct group {
    std::uint32_t limit = 0;
    std::int64_t per_ms = 0;
    std::vector<std::int64_t> begun_ms;
  };

  const sorted_history& h_;
  std::unordered_map<names::id, group> groups_; ///< by key
};

} // namespace checker
