#include "examples/demo/load/client_log.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <functional>
#include <utility>

namespace demo {

namespace {

std::int64_t now_ms() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

const char* name_of(steadfast::on_conflict x) {
  using steadfast::on_conflict;
  return x == on_conflict::refuse ? "refuse" : x == on_conflict::replace ? "replace" : "same";
}

/// What a refusal says of the task that is there; nothing: it changed nothing.
const char* told_by(const std::string& why) {
  if (why.find("key_conflict") != std::string::npos)
    return "conflict";
  if (why.find("a task that has begun cannot be replaced") != std::string::npos)
    return "begun";
  return why.find("there is a task") != std::string::npos ? "taken" : nullptr;
}

} // namespace

client_log::client_log(const std::filesystem::path& file) : out_{file} {
  out_.exceptions(std::ios::failbit | std::ios::badbit);
}

client_log::call client_log::invoked(const submission& s) {
  nlohmann::json more{{"body", std::to_string(std::hash<std::string>{}(s.payload))}};
  if (!s.items.empty())
    more["items"] = s.items;
  if (s.limit > 0)
    more.update({{"limit_key", s.limit_key}, {"limit", s.limit}});
  if (s.limit_per_ms > 0)
    more["limit_per_ms"] = s.limit_per_ms;
  if (!s.sleeps.empty())
    more["sleeps"] = s.sleeps;
  if (!s.calls.empty())
    more["calls"] = s.calls;
  if (!s.mark.empty())
    more["mark"] = s.mark;
  if (s.conflict != steadfast::on_conflict::same)
    more["on_conflict"] = name_of(s.conflict);
  return write("invoke", s, std::move(more));
}

void client_log::acknowledged(call c, const submission& s, const steadfast::submitted& told) {
  write("ok", s, {{"told", told.created ? "created" : told.replaced ? "replaced" : "there"}}, c);
}

void client_log::refused(call c, const submission& s, const std::string& why) {
  nlohmann::json more{{"why", why}};
  if (const auto* told = told_by(why))
    more["told"] = told;
  write("fail", s, std::move(more), c);
}

void client_log::without_answer(call c, const submission& s, const std::string& why) {
  write("info", s, {{"why", why}, {"told", "none"}}, c);
}

client_log::call client_log::looked(const submission& s) {
  return write("look", s, nlohmann::json::object());
}

void client_log::saw(call c, const submission& s, std::optional<std::uint64_t> revision) {
  if (revision)
    write("saw", s, {{"told", "found"}, {"revision", *revision}}, c);
  else
    write("saw", s, {{"told", "absent"}}, c);
}

void client_log::saw_no_answer(call c, const submission& s, const std::string& why) {
  write("saw", s, {{"why", why}}, c);
}

client_log::call client_log::looked_at_lease(const std::string& name) {
  return write("look", {{"lease", name}}, 0);
}

void client_log::saw_lease(call c, const std::string& name, const std::string& holder, std::uint64_t epoch) {
  write("saw", {{"lease", name}, {"told", "lease"}, {"holder", holder}, {"epoch", epoch}}, c);
}

void client_log::saw_no_lease(call c, const std::string& name, const std::string& why) {
  write("saw", {{"lease", name}, {"why", why}}, c);
}

void client_log::knows_schedule(const std::string& name, const std::string& workflow, std::chrono::milliseconds every,
                                const std::string& overlap) {
  write("schedule", {{"schedule", name}, {"workflow", workflow}, {"every_ms", every.count()}, {"overlap", overlap}}, 0);
}

client_log::call client_log::write(const char* op, const submission& s, nlohmann::json more, call c) {
  more["task"] = s.id;
  more["workflow"] = s.workflow;
  return write(op, std::move(more), c);
}

client_log::call client_log::write(const char* op, nlohmann::json line, call c) {
  line["op"] = op;
  std::lock_guard guard{mutex_};
  line["call"] = c != 0 ? c : ++last_;
  line["at"] = now_ms();
  out_ << line.dump() << '\n' << std::flush;
  return line["call"];
}

} // namespace demo
