#include "examples/checker/reading/json_lines.hpp"
#include "examples/checker/reading/readers.hpp"

#include "examples/checker/reading/words.hpp"

#include <algorithm>
#include <unordered_map>

namespace checker {

namespace {

effect read_effect(names& n, const json_line& line) {
  effect e;
  e.task = n.of(line.text("task"));
  e.step = n.of(line.text("step"));
  e.key = n.of(line.text("key"));
  e.reverses = n.of(line.text_or_empty("reverses"));
  e.action = read_word<action>(line, "action");
  e.result = read_word<result>(line, "result");
  e.attempt = static_cast<std::uint32_t>(line.number("attempt"));
  e.epoch = line.number("epoch");
  e.steady_ns = static_cast<std::int64_t>(line.number("steady_ns"));
  e.is_later = line.flag_or_false("later");
  if (line.has("finished"))
    e.is_finished = line.flag("finished");
  e.mark = n.of(line.text_or_empty("mark"));
  return e;
}

/// Puts questions and answers with the same number together.
class call_reader {
public:
  explicit call_reader(history& into) : into_{into}, is_first_log_{!into.has_calls} {}

  /// `place`: of the line among all.
  void asked(const json_line& line, std::size_t place) {
    if (!is_first_log_)
      line.complain("calls are in another client log too, and nobody knows the order of the two");
    client_call c;
    c.body = into_.names.of(line.text_or_empty("body"));
    c.mark = into_.names.of(line.text_or_empty("mark"));
    if (line.has("on_conflict"))
      c.wish = read_word<on_conflict>(line, "on_conflict");
    c.span.began = place;
    const auto lease = line.text_or_empty("lease");
    const question q{into_.names.of(lease.empty() ? line.text("task") : lease), !lease.empty(),
                     line.text("op") == "look", c};
    if (!open_.try_emplace(line.number("call"), q).second)
      line.complain("its call was made before");
    into_.has_calls = true;
  }

  /// An answer that does not mention the task says nothing about it.
  void answered(const json_line& line, std::size_t place) {
    const auto found = open_.find(line.number("call"));
    if (found == open_.end())
      line.complain("its call was not made, or is answered already");
    const auto q = found->second;
    open_.erase(found);
    if (q.is_of_lease) {
      into_.leases[q.id].push_back(lease_seen(line, {q.call.span.began, place}));
      return;
    }
    auto c = q.call;
    c.told = read_word<client_call::answer>(line, "told");
    c.revision = line.number_or_zero("revision");
    c.span.ended = c.told == client_call::answer::none ? span_of_call::unanswered : place;
    into_.clients[q.id].calls.push_back(c);
  }

  /// Of a call that changed nothing.
  void forget(const json_line& line) { open_.erase(line.number("call")); }

  /// Submissions that were under way when the log ends may have taken place.
  void end() {
    for (const auto& [number, q] : open_)
      if (!q.is_look)
        into_.clients[q.id].calls.push_back(q.call);
  }

private:
  struct question {
    names::id id = 0; ///< of the task or the lease
    bool is_of_lease = false;
    bool is_look = false;
    client_call call;
  };

  lease_call lease_seen(const json_line& line, span_of_call span) {
    const auto holder = line.text_or_empty("holder");
    return {lease_call::kind::seen, holder.empty() ? 0 : std::uint64_t{into_.names.of(holder)} + 1,
            line.number("epoch"), span};
  }

  history& into_;
  bool is_first_log_;
  std::unordered_map<std::uint64_t, question> open_;
};

void note_call(call_reader& calls, const json_line& line, std::string_view op, std::size_t place) {
  if (line.text_or_empty("told").empty() && op != "invoke" && op != "look")
    calls.forget(line);
  else if (op == "invoke" || op == "look")
    calls.asked(line, place);
  else
    calls.answered(line, place);
}

void note_outcome(client_record& r, const json_line& line) {
  const auto outcome = parse_process_state(line.text_or_empty("outcome"));
  if (outcome && has_ended(*outcome) && std::find(r.outcomes.begin(), r.outcomes.end(), *outcome) == r.outcomes.end())
    r.outcomes.push_back(*outcome);
}

/// What the client knows of the task before anybody works on it.
void note_submission(names& n, client_record& r, const json_line& line) {
  if (const auto items = line.object("items"))
    items->each_number(
      [&](std::string_view step, std::uint64_t count) { r.items[n.of(step)] = static_cast<std::uint32_t>(count); });
  if (const auto key = line.text_or_empty("limit_key"); !key.empty()) {
    r.limit_key = n.of(key);
    r.limit = static_cast<std::uint32_t>(line.number("limit"));
    r.limit_per_ms = static_cast<std::int64_t>(line.number_or_zero("limit_per_ms"));
  }
  if (const auto sleeps = line.object("sleeps"))
    sleeps->each_number(
      [&](std::string_view step, std::uint64_t ms) { r.sleeps[n.of(step)] = static_cast<std::int64_t>(ms); });
  if (const auto calls = line.object("calls"))
    calls->each_number(
      [&](std::string_view step, std::uint64_t most) { r.most_calls[n.of(step)] = static_cast<std::uint32_t>(most); });
}

void note_schedule(history& into, const json_line& line) {
  schedule s;
  s.workflow = into.names.of(line.text("workflow"));
  s.every_ms = static_cast<std::int64_t>(line.number("every_ms"));
  if (s.every_ms == 0)
    line.complain("field `every_ms` must be above 0");
  s.one_at_a_time = line.text("overlap") != "allow";
  into.schedules[into.names.of(line.text("schedule"))] = s;
}

/// One try, and whom it is for: each step of each task.
struct try_to_wake {
  std::vector<names::id> tasks;
  std::vector<names::id> steps;
  wake said;
};

std::vector<names::id> read_names(names& n, const json_line& line, const char* field) {
  std::vector<names::id> all;
  for (const auto entry : line.list_or_empty(field)) {
    std::string_view name;
    if (entry.get(name) != simdjson::SUCCESS)
      line.complain("field `" + std::string{field} + "` must be a list of texts");
    all.push_back(n.of(name));
  }
  return all;
}

try_to_wake read_try(names& n, const json_line& line) {
  try_to_wake t{read_names(n, line, "tasks"), read_names(n, line, "steps"), {}};
  auto& w = t.said;
  w.what = read_word<wake::kind>(line, "wake");
  if (w.what == wake::kind::answer)
    w.says = n.of(text_of_answer(line.text("choice"), line.text("who")));
  else
    w.says = n.of(line.json_or_empty("says"));
  w.attempt = static_cast<std::uint32_t>(line.number_or_zero("attempt"));
  w.is_for_good = line.flag_or_false("for_good");
  w.sent_ns = static_cast<std::int64_t>(line.number("steady_ns"));
  return t;
}

/// Of a try that got no answer the store may know or not.
void note_told(try_to_wake& t, const json_line& line) {
  const auto op = line.text("op");
  if (op == "ok")
    t.said.acknowledged_ns = static_cast<std::int64_t>(line.number("steady_ns"));
  else if (op != "fail" && op != "info")
    line.complain("field `op` must be invoke, ok, fail or info");
  t.said.is_refused = op == "fail";
  t.said.is_taken = line.number_or_zero("taken") >= t.tasks.size();
}

} // namespace

void read_wakes(history& into, const std::string& path) {
  into.has_wakes = true;
  std::unordered_map<std::uint64_t, try_to_wake> tries;
  each_json_line(path, true, [&](const json_line& line) {
    const auto call = line.number("call");
    if (line.text("op") == "invoke") {
      if (!tries.try_emplace(call, read_try(into.names, line)).second)
        line.complain("its call was made before");
      return;
    }
    const auto found = tries.find(call);
    if (found == tries.end())
      line.complain("its call was not made");
    note_told(found->second, line);
  });
  for (auto& [call, t] : tries)
    for (const auto task : t.tasks)
      for (const auto step : t.steps) {
        t.said.step = step;
        into.wakes[task].push_back(t.said);
      }
}

void read_effects(history& into, const std::string& path) {
  std::uint64_t last_seq = 0;
  each_json_line(path, true, [&](const json_line& line) {
    const auto seq = line.number("seq");
    if (seq <= last_seq)
      line.complain("its seq " + std::to_string(seq) + " is not above the one before, " + std::to_string(last_seq));
    last_seq = seq;
    into.effects.push_back(read_effect(into.names, line));
  });
}

void read_clients(history& into, const std::string& path) {
  into.has_clients = true;
  call_reader calls{into};
  std::size_t place = 0;
  each_json_line(path, true, [&](const json_line& line) {
    const auto op = line.text("op");
    if (!line.text_or_empty("lease").empty())
      return note_call(calls, line, op, ++place);
    if (op == "schedule")
      return note_schedule(into, line);
    auto& record = into.clients[into.names.of(line.text("task"))];
    if (op == "invoke") {
      ++record.invoked;
      note_submission(into.names, record, line);
    } else if (op == "ok")
      ++record.acknowledged;
    else if (op == "fail")
      ++record.refused;
    else if (op == "info")
      ++record.unsure;
    else if (op != "look" && op != "saw")
      line.complain("field `op` must be invoke, ok, fail, info, look, saw or schedule");
    note_outcome(record, line);
    if (line.number_or_zero("call") != 0)
      note_call(calls, line, op, ++place);
  });
  calls.end();
}

void read_alerts(history& into, const std::string& path) {
  into.has_alerts = true;
  each_json_line(path, false, [&](const json_line& line) {
    if (line.text_or_empty("kind") != "act") // what a person did
      ++into.alerts[into.names.of(line.text_or_empty("task"))];
  });
}

} // namespace checker
