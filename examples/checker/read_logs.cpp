#include "examples/checker/json_lines.hpp"
#include "examples/checker/readers.hpp"

#include "examples/checker/words.hpp"

#include <algorithm>

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
  each_json_line(path, true, [&](const json_line& line) {
    auto& record = into.clients[into.names.of(line.text("task"))];
    const auto op = line.text("op");
    if (op == "invoke")
      ++record.invoked;
    else if (op == "ok")
      ++record.acknowledged;
    else if (op == "fail")
      ++record.refused;
    else if (op == "info")
      ++record.unsure;
    else
      line.complain("field `op` must be invoke, ok, fail or info");
    note_outcome(record, line);
  });
}

void read_alerts(history& into, const std::string& path) {
  into.has_alerts = true;
  each_json_line(path, false, [&](const json_line& line) { ++into.alerts[into.names.of(line.text_or_empty("task"))]; });
}

} // namespace checker
