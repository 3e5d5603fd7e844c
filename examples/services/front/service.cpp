#include "examples/services/front/service.hpp"

#include <utility>

namespace services {

namespace {

reply closed() {
  reply r;
  r.close = true;
  return r;
}

bool has_effect(const answer& a) {
  return a.status < 300;
}

} // namespace

service::service(const options& o)
    : what_{*o.what},
      journal_{std::string{o.what->name}, o.database_path, o.log_path},
      tokens_path_{o.tokens_path},
      faults_{o.faults, o.seed} {}

reply service::handle(const call& c, const std::function<void()>& hang_up) {
  const auto fate = fate_of(c);
  const auto switches = faults_.switches();
  if (fate.lose)
    return work_on_unheard(c, fate, hang_up);
  if (fate.hang_before && !hold(switches)) {
    note(c, effect_result::failed, 503, "closed while it was held");
    return closed();
  }
  if (fate.transient)
    return fail_before(c, switches);
  auto a = carry_out(c, fate);
  if (fate.twice)
    a = carry_out(c, fate);
  if (fate.hang_after && !hold(switches))
    return closed();
  return answer_after(c, fate, a);
}

/// A fate in the body replaces the drawn one. The body of a do may also have the fates of its undo and its probe.
fate service::fate_of(const call& c) {
  const auto occurrence = faults_.count_occurrence(c);
  const auto drawn = faults_.draw(c, occurrence);
  const auto wish = wish_of(c);
  if (wish.is_null())
    return drawn;
  auto forced = forced_fate(wish, occurrence);
  forced.late_ms = drawn.late_ms;
  forced.lost_ms = drawn.lost_ms;
  return forced;
}

json service::wish_of(const call& c) {
  if (const auto wish = c.body.find("fault"); wish != c.body.end() || c.action == action::perform)
    return wish == c.body.end() ? json{} : *wish;
  json effect_body;
  journal_.look([&](ledger& l) { effect_body = l.body_of(c.reverses); });
  return effect_body.value(c.action == action::undo ? "undo_fault" : "probe_fault", json{});
}

/// False when nothing more is to be done and the connection is to be closed.
bool service::hold(const fault_switches& f) {
  return held_.wait(std::chrono::duration<double>{f.hang_seconds}) && !f.hang_then_close;
}

/// Its caller no longer knows of it. A service that is told to end first carries it out.
reply service::work_on_unheard(const call& c, const fate& f, const std::function<void()>& hang_up) {
  hang_up();
  held_.wait(std::chrono::duration<double, std::milli>{f.lost_ms});
  carry_out(c, f);
  return closed();
}

reply service::fail_before(const call& c, const fault_switches& f) {
  const auto a = note(c, effect_result::failed, 503, "the service is not available at the moment");
  return {a.status, a.body, f.retry_after_seconds, false};
}

answer service::carry_out(const call& c, const fate& f) {
  switch (c.action) {
    case action::perform: return decide_and_record(c, f);
    case action::undo:
      if (f.refuse)
        return note(c, effect_result::refused, 422, "the undo is refused for good");
      return journal_.record(c, [&](ledger& l) { return l.undo(c); });
    case action::probe: break;
  }
  return journal_.record(c, [&](ledger& l) { return l.probe(c); });
}

answer service::decide_and_record(const call& c, const fate& f) {
  const auto decided =
    f.refuse ? decision{refusal{"", "the request is refused for good"}} : what_.decide(c.body, c.key);
  const bool dedup = faults_.switches().dedup;
  auto a = journal_.record(c, [&](ledger& l) {
    auto done = l.perform(c, decided, dedup, what_.call_again);
    done.is_later = f.later && has_effect(done);
    if (what_.call_again && has_effect(done))
      done.is_finished = done.body.value("state", "") == "done";
    return done;
  });
  if (a.is_later) {
    write_token(c);
    a.status = 202;
  }
  return a;
}

/// Before the answer: whoever reads it may use it too early, and is told so.
void service::write_token(const call& c) {
  const json line{{"task", c.task}, {"step", c.step}, {"attempt", c.attempt}, {"token", c.token}};
  const std::lock_guard guard{tokens_mutex_};
  if (!tokens_.is_open())
    tokens_.open(tokens_path_, std::ios::app);
  tokens_ << line.dump() << '\n' << std::flush;
}

answer service::note(const call& c, effect_result r, int status, const std::string& sentence) {
  return journal_.record(c, [&](ledger&) { return answer{r, status, {{"error", sentence}}}; });
}

reply service::answer_after(const call& c, const fate& f, const answer& a) {
  if (f.late && !held_.wait(std::chrono::duration<double, std::milli>{f.late_ms}))
    return closed();
  if (!f.error_after || !has_effect(a))
    return {a.status, a.body, 0, false};
  const auto result = c.action == action::probe ? effect_result::failed : effect_result::failed_after_effect;
  const auto failed = note(c, result, 500, "something went wrong");
  return {failed.status, failed.body, 0, false};
}

reply service::bad_request(const std::string& why) {
  return {400, {{"error", why}}, 0, false};
}

reply service::show_health() const {
  return {200, {{"service", what_.name}, {"ok", true}}, 0, false};
}

reply service::show_stats() {
  std::uint64_t in_place = 0;
  journal_.look([&](ledger& l) { in_place = l.effects_in_place(); });
  const std::chrono::duration<double> up = std::chrono::steady_clock::now() - started_at_;
  return {200,
          {{"service", what_.name},
           {"results", journal_.counts()},
           {"effects_in_place", in_place},
           {"held", held_.held()},
           {"up_seconds", up.count()}},
          0,
          false};
}

reply service::show_faults() const {
  return {200, to_json(faults_.switches()), 0, false};
}

reply service::change_faults(const std::string& body) {
  const auto wrong = faults_.change_switches(json::parse(body, nullptr, false));
  if (!wrong.empty())
    return {422, {{"error", wrong}}, 0, false};
  return show_faults();
}

} // namespace services
