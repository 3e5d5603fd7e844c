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

} // namespace

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
    auto& record = into.clients[into.names.of(line.text("task"))];
    if (op == "invoke")
      ++record.invoked;
    else if (op == "ok")
      ++record.acknowledged;
    else if (op == "fail")
      ++record.refused;
    else if (op == "info")
      ++record.unsure;
    else if (op != "look" && op != "saw")
      line.complain("field `op` must be invoke, ok, fail, info, look or saw");
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
