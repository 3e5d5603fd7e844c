#include "examples/checker/rules/rules.hpp"

namespace checker {

namespace {

findings unchecked() {
  const auto rule = [](std::string_view name, std::string_view says) {
    finding f;
    f.name = name;
    f.says = says;
    return f;
  };
  return {rule("E1", "each acknowledged task has exactly one outcome"),
          rule("E2", "no task without a submission"),
          rule("E3", "at most one effect under a key"),
          rule("E4", "processed: every completed step has an effect"),
          rule("E5", "undone: every effect was undone, and none came after its undo"),
          rule("E6", "no dispatch of a step after it completed"),
          rule("E7", "dispatches obey the order of the steps"),
          rule("E8", "attempts stay within the limit"),
          rule("E9", "epochs never fall"),
          rule("E10", "one key for all tries of a step, no key shared"),
          rule("E11", "every task in error has an alert"),
          rule("E12", "the store's story explains every effect"),
          rule("E13", "what clients were told happened in one order"),
          rule("E14", "an event is taken once, by those it was sent to"),
          rule("E15", "a token ends its attempt once, as somebody said"),
          rule("E16", "a person's answer is the one that was acknowledged"),
          rule("E17", "children end as their parents do"),
          rule("E18", "at most `limit` tasks of a key at a time"),
          rule("E19", "no step wakes before its time"),
          rule("E20", "at most `limit` tasks of a key begin within the time of a rate"),
          rule("E21", "a moment of a schedule makes one task, not before it"),
          rule("E22", "a schedule's next task begins when the one before is over"),
          rule("E23", "a step is repeated until its service has finished"),
          rule("E24", "what was replaced never ran")};
}

} // namespace

findings check(const history& h, const settings& s) {
  auto f = unchecked();
  const sorted_history sorted{h, s};
  if (!h.has_clients)
    f[1].not_checked = "no client log was given";
  if (!h.has_alerts)
    f[10].not_checked = "no alerts were given";
  if (!h.has_calls)
    f[12].not_checked = "no client log with numbered calls was given";
  if (!h.has_wakes)
    f[13].not_checked = f[14].not_checked = f[15].not_checked = "no wake log was given";
  check_outcomes(sorted, f[0], f[1]);
  check_keys(sorted, f[2], f[9]);
  tasks_under_way under_way{sorted, &limit_of_client};
  tasks_under_way of_schedules{sorted, &limit_of_schedule};
  beginnings begun{sorted};
  for (const auto& t : h.tasks) {
    const auto c = sorted.case_of(t);
    check_processed(sorted, c, f[3]);
    check_undone(sorted, c, f[4]);
    check_not_repeated(sorted, c, f[5]);
    check_order(sorted, c, f[6]);
    check_limits(sorted, c, f[7]);
    check_epochs(sorted, c, f[8]);
    check_one_key(sorted, c, f[9]);
    check_alert(sorted, c, f[10]);
    if (h.has_wakes) {
      check_events(sorted, c, f[13]);
      check_tokens(sorted, c, f[14]);
      check_answers(sorted, c, f[15]);
    }
    check_children(sorted, c, f[16]);
    under_way.note(c);
    check_sleeps(sorted, c, f[18]);
    begun.note(c, f[19]);
    of_schedules.note(c);
    check_calls(sorted, c, f[22]);
    check_marks(sorted, c, f[23]);
  }
  under_way.check_limits(f[17]);
  check_moments(sorted, f[20]);
  of_schedules.check_limits(f[21]);
  begun.check_rates(f[19]);
  check_explained(sorted, f[11]);
  check_linearizable(sorted, f[12]);
  return f;
}

} // namespace checker
