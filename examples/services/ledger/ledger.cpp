#include "examples/services/ledger/ledger.hpp"

#include <utility>

namespace services {

namespace {

// An undone effect keeps its row, which refuses a do that arrives after its undo.
constexpr auto schema = R"(
  CREATE TABLE IF NOT EXISTS effects(
    key TEXT PRIMARY KEY, in_place INTEGER NOT NULL, args TEXT NOT NULL, body TEXT NOT NULL, result TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS log_lines(seq INTEGER PRIMARY KEY, line TEXT NOT NULL);
)";

database opened(const std::string& path) {
  database d{path};
  d.run(schema);
  return d;
}

json error_body(const std::string& sentence, const std::string& field = {}) {
  json body{{"error", sentence}};
  if (!field.empty())
    body["field"] = field;
  return body;
}

json parsed(const std::string& text) {
  return json::parse(text, nullptr, false);
}

std::string dumped(const json& j) {
  return j.dump(-1, ' ', false, json::error_handler_t::replace);
}

} // namespace

ledger::ledger(const std::string& path)
    : database_{opened(path)},
      find_{database_, "SELECT in_place, args, result FROM effects WHERE key = ?"},
      create_{database_, "INSERT OR REPLACE INTO effects(key, args, body, result, in_place) VALUES(?, ?, ?, ?, 1)"},
      undo_{database_, "INSERT INTO effects(key, in_place, args, body, result) VALUES(?, 0, '', '{}', '{}')"
                       " ON CONFLICT(key) DO UPDATE SET in_place = 0"},
      body_{database_, "SELECT body FROM effects WHERE key = ?"},
      change_{database_, "UPDATE effects SET result = ? WHERE key = ?"},
      remember_{database_, "INSERT INTO log_lines(seq, line) VALUES(?, ?)"} {}

ledger::found_effect ledger::find(const std::string& key) {
  found_effect found;
  if (find_.bind(key).step())
    found = {true, find_.number(0) != 0, find_.text(1), parsed(find_.text(2))};
  find_.reset();
  return found;
}

answer ledger::perform(const call& c, const decision& decided, bool dedup, json (*call_again)(const json&)) {
  if (const auto known = find(c.key); dedup && known.known) {
    if (!known.in_place)
      return {effect_result::refused, 409, error_body("this key was undone; its operation cannot take place any more")};
    if (known.args != c.args)
      return {effect_result::refused, 422, error_body("this key was used with another body", "Idempotency-Key")};
    if (!call_again)
      return {effect_result::repeated, 200, known.result};
    const auto result = call_again(known.result);
    change_.bind(dumped(result)).bind(c.key).run();
    return {effect_result::repeated, 200, result};
  }
  if (const auto* no = std::get_if<refusal>(&decided))
    return {effect_result::refused, 422, error_body(no->sentence, no->field)};
  const auto& result = std::get<json>(decided);
  create_.bind(c.key).bind(c.args).bind(dumped(c.body)).bind(dumped(result)).run();
  return {effect_result::created, 201, result};
}

answer ledger::undo(const call& c) {
  const auto known = find(c.reverses);
  if (known.known && !known.in_place)
    return {effect_result::undo_repeated, 200, {{"undone", true}}};
  undo_.bind(c.reverses).run();
  return {known.known ? effect_result::undone : effect_result::undo_of_nothing, 200, {{"undone", true}}};
}

answer ledger::probe(const call& c) {
  const auto known = find(c.reverses);
  if (known.in_place)
    return {effect_result::probe_yes, 200, known.result};
  return {effect_result::probe_no, 404, {{"happened", false}, {"undone", known.known}}};
}

json ledger::body_of(const std::string& key) {
  json body = json::object();
  if (body_.bind(key).step())
    body = parsed(body_.text(0));
  body_.reset();
  return body;
}

void ledger::remember_line(std::uint64_t seq, const std::string& line) {
  remember_.bind(seq).bind(line).run();
}

std::uint64_t ledger::last_seq() {
  statement last{database_, "SELECT COALESCE(MAX(seq), 0) FROM log_lines"};
  last.step();
  return last.number(0);
}

void ledger::each_line(const std::function<void(std::uint64_t, const std::string&)>& visit) {
  statement all{database_, "SELECT seq, line FROM log_lines ORDER BY seq"};
  while (all.step())
    visit(all.number(0), all.text(1));
}

std::uint64_t ledger::effects_in_place() {
  statement count{database_, "SELECT COUNT(*) FROM effects WHERE in_place = 1"};
  count.step();
  return count.number(0);
}

} // namespace services
