#include "simulation/run/aftermath.hpp"

#include "actors/protocol/messages.hpp"
#include "actors/protocol/protocols.hpp"
#include "actors/protocol/type_ids.hpp"
#include "runtime/assembly/assembly.hpp"
#include "runtime/text/json.hpp"
#include "workflow/transition/transition.hpp"

#include <caf/event_based_actor.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace steadfast::simulation {

using namespace std::chrono_literals;

namespace {

constexpr workflow::span settles_in{60'000}; ///< leases are won again, and requests lost in a fault were repeated
constexpr workflow::span notices_in{2000};   ///< a period of the supervisor and a second
constexpr workflow::span commits_in{500};    ///< what it has decided
constexpr workflow::span looks_each{500};
constexpr workflow::span does_work_in{60'000};
constexpr workflow::span leaves_in{120'000}; ///< tasks that could not leave are looked at once a minute
constexpr workflow::span drains_in{20'000};
constexpr workflow::span rests_for{15'000}; ///< before that, when partitions stay where they are
constexpr workflow::span heals_in{30'000};  ///< until every node and a supervisor have their leases
constexpr workflow::span learns_in{5'000};  ///< that a lease has changed
constexpr workflow::span answers_in{1700};
constexpr std::size_t times_asked = 8;
constexpr workflow::span conditions_in{12'000};      ///< until people are told of conditions
constexpr workflow::span overdue_for{45'000};        ///< longer than complete-by and a node's lease
constexpr workflow::span ends_in_the_end{3'600'000}; ///< with every cool-off
constexpr int many = 6;                              ///< rounds of new tasks, so that several pages are full of them

service_faults quick() {
  service_faults f;
  f.latency_max = 50ms;
  return f;
}

service_faults slow() {
  service_faults f;
  f.latency_min = 1s;
  f.latency_max = 4s;
  return f;
}

service_faults mute() {
  service_faults f;
  f.hangs = service_faults::always;
  return f;
}

bool is_zero(const nlohmann::json& state, const char* place) {
  const nlohmann::json::json_pointer p{place};
  if (!state.contains(p))
    return true;
  const auto& x = state.at(p);
  return x.is_array() ? x.empty() : x == 0;
}

/// Whether all entries of the list are 0 there.
bool are_zero(const nlohmann::json& state, const char* list, const char* place) {
  const nlohmann::json::json_pointer p{list};
  return !state.contains(p)
         || std::all_of(state.at(p).begin(), state.at(p).end(), [&](const auto& x) { return is_zero(x, place); });
}

struct counted_place {
  const char* kind;
  const char* place;
};
/// What must become zero.
constexpr counted_place zero_at_rest[] = {
  {"store", "/waiting"},
  {"store_link", "/writes_on_their_way"},
  {"store_link", "/submissions_on_their_way"},
  {"store_link", "/questions_on_their_way"},
  {"store_link", "/held_back"},
  {"partition_router", "/writes_on_their_way"},
  {"gateway", "/acts"},
  {"bulk_runner", "/open"},
  {"agent", "/queued"},
  {"agent", "/in_flight"},
  {"agent", "/input_bytes"},
  {"agent", "/attempts"},
};
struct counted_list {
  const char* kind;
  const char* list;
  const char* place;
};
constexpr counted_list all_zero_at_rest[] = {
  {"scheduler", "/agents", "/in_flight"},
  {"scheduler", "/workflows", "/in_flight"},
  {"notifier", "/observers", "/told_not_acknowledged"},
};

std::size_t length(const nlohmann::json& state, const char* list) {
  const nlohmann::json::json_pointer p{list};
  return state.contains(p) ? state.at(p).size() : 0;
}

/// What is above its bound, with its value; empty: nothing.
std::string too_much(const std::string& kind, const nlohmann::json& state, std::size_t nodes) {
  if (kind == "scheduler" && (length(state, "/tasks") > 0 || state.value("timers", 0) > 0))
    return "it has tasks in flight: " + state.at("tasks").dump() + ", and timers: " + state.at("timers").dump();
  for (const auto& [of, place] : zero_at_rest)
    if (kind == of && !is_zero(state, place))
      return std::string{place} + " is " + state.at(nlohmann::json::json_pointer{place}).dump();
  for (const auto& [of, list, place] : all_zero_at_rest)
    if (kind == of && !are_zero(state, list, place))
      return std::string{list} + " has " + state.at(nlohmann::json::json_pointer{list}).dump();
  const auto peers = length(state, "/peers");
  if (peers > nodes)
    return "there are " + std::to_string(peers) + " peers";
  const auto observers = length(state, "/observers");
  if (observers > 1)
    return "there are " + std::to_string(observers) + " observers of one that listens";
  const auto subscribers = length(state, "/subscribers");
  if (subscribers > 8 * nodes)
    return "there are " + std::to_string(subscribers) + " subscribers";
  return {};
}

/// Only the end of a wait: its scheduler gets some time to wake up by itself.
bool is_due_by_wait(const workflow::task& t, const workflow::definition& d, workflow::instant now) {
  return workflow::forward_ends_at(t, d) > now && std::none_of(t.steps.begin(), t.steps.end(), [&](const auto& s) {
           return s.needs_review || (s.doing != workflow::attempt_action::none && s.complete_by <= now);
         });
}

} // namespace

// ---- clocks ----

void aftermath::watch_the_clock() {
  world_.in(looks_each, [this] { expect_nothing_overdue(); });
}

void aftermath::expect_nothing_overdue() {
  world_.in(looks_each, [this] { expect_nothing_overdue(); });
  if (world_.now() < cluster_.disturbed_until() + settles_in)
    return overdue_.clear();
  auto before = std::exchange(overdue_, {});
  for (const auto& [number, t] : watch_.tasks()) {
    const auto now = cluster_.clock_of(number);
    const auto* d = watch_.definition_of(t);
    if (now == workflow::unset || !d || workflow::has_ended(t) || workflow::next_due(t, *d) >= now)
      continue;
    const bool by_wait = is_due_by_wait(t, *d, now);
    const auto known = before.find(number);
    const bool goes_on = known != before.end() && known->second.first == std::pair{t.revision, by_wait};
    const auto since = goes_on ? known->second.second : std::max(workflow::next_due(t, *d), now - looks_each);
    const auto slack = by_wait ? node_options{}.supervisor_slack : workflow::span{0};
    if (since + notices_in + commits_in + slack < now)
      return watch_.complain(t.id + " has been overdue for " + std::to_string((now - since).count())
                             + " ms, and nothing fails (P13)");
    overdue_[number] = {{t.revision, by_wait}, since};
  }
}

// ---- one after the other ----

void aftermath::play(const run_for& run, const is_broken& broken) {
  const auto holds = [&](workflow::span time) {
    run(time);
    return !broken();
  };
  const auto waits = std::chrono::ceil<workflow::span>(std::max(cluster_.disturbed_until() - world_.now(), moment{0}));
  if (waits > 15min) // an hour without a supervisor
    return;
  if (!holds(waits + heals_in - rests_for))
    return;
  const auto started = cluster_.nodes_started();
  const auto taken = cluster_.partitions_taken();
  if (!holds(rests_for))
    return;
  if (cluster_.nodes_started() == started)
    expect_partitions_rest(cluster_.partitions_taken() - taken);
  if (broken())
    return;
  expect_leases_held();
  expect_shares_even();
  if (broken() || !holds(settles_in - heals_in))
    return;
  submit_everywhere("after-");
  if (!holds(does_work_in))
    return;
  expect_all_ended("after-", "when all was healed");
  if (!broken() && cluster_.shape().partitions > 1)
    send_rival_events(run);
  if (const auto node = some_node_to_drain(); !broken() && !node.empty()) {
    drain_a_node(node, run, broken);
    if (broken())
      return;
  }
  if (const auto luck = options_.seed % 4; !broken() && luck == 0)
    lose_a_node(run, broken);
  else if (!broken() && luck == 1)
    lose_a_lease(run, broken);
  else if (!broken())
    lose_all_schedulers(run, broken);
  if (!broken() && holds(settles_in))
    expect_at_rest(run);
  if (const auto keep = cluster_.shape().keep.keep_for; keep && !broken() && holds(*keep + leaves_in))
    expect_none_left(*keep);
}

void aftermath::expect_leases_held() {
  if (world_.now() < cluster_.disturbed_until() + heals_in)
    return; // something was started meanwhile
  for (std::uint32_t i = 0; i < cluster_.shape().partitions; ++i) {
    std::set<std::string> missing{"supervisor"};
    for (const auto& name : cluster_.names())
      missing.insert("node/" + name);
    for (const auto& l : cluster_.store_of(i).leases(cluster_.store_clock(i)))
      if (l.expires_at > cluster_.clock_now(i))
        missing.erase(l.name);
    for (const auto& name : missing)
      watch_.complain("nobody has had the lease " + name + " since all was healed half a minute ago (P20)");
  }
}

/// Each node has its share: none has two partitions more than another (row 147).
void aftermath::expect_shares_even() {
  if (world_.now() < cluster_.disturbed_until() + heals_in)
    return; // one is on its way
  std::map<std::string, std::uint32_t> shares;
  for (const auto& name : cluster_.names())
    if (!cluster_.is_drained(name))
      shares[name] = 0;
  for (std::uint32_t i = 0; i < cluster_.shape().partitions; ++i)
    ++shares[cluster_.store_node(i)];
  for (const auto& [some, most] : shares)
    for (const auto& [other, fewest] : shares)
      if (most > fewest + 1)
        watch_.complain(some + " has " + std::to_string(most) + " partitions, and " + other + " has "
                        + std::to_string(fewest) + " (row 147)");
}

/// While nodes do not come: by then each may be on its way to its last place, but no more (row 147).
void aftermath::expect_partitions_rest(std::uint64_t taken) {
  if (taken > cluster_.shape().partitions)
    watch_.complain("in a quarter of a minute without a fault partitions were taken " + std::to_string(taken)
                    + " times (row 147)");
}

void aftermath::send_rival_events(const run_for& run) {
  for (const auto& d : options_.workflows)
    for (const auto& s : d.steps)
      if (s.wait && s.wait->what == workflow::wait_rule::kind::event)
        cluster_.send_rivals(*s.wait, d.name + " " + s.name + " rival");
  run(answers_in);
  cluster_.expect_rivals_apart();
}

// ---- losses ----

std::set<std::uint64_t> aftermath::in_hand_of(const std::string& node) const {
  std::set<std::uint64_t> all;
  for (const auto& [number, t] : watch_.tasks())
    if (t.locked_by == node && !workflow::has_ended(t))
      all.insert(number);
  return all;
}

void aftermath::wait_until_all_ended(const run_for& run, const is_broken& broken) const {
  const auto is_open = [](const auto& x) { return !workflow::has_ended(x.second); };
  for (workflow::span waited{0}; waited < ends_in_the_end && !broken(); waited += 10s)
    if (run(10s); std::none_of(watch_.tasks().begin(), watch_.tasks().end(), is_open))
      return;
}

/// It finishes what it has begun, and begins nothing.
void aftermath::drain_a_node(const std::string& node, const run_for& run, const is_broken& broken) {
  services_.set_faults(slow());
  submit_many("drained-");
  run(2s);
  cluster_.drain(node);
  run(drains_in / 2);
  services_.set_faults(quick());
  run(drains_in / 2);
  expect_drained(node);
  if (broken())
    return;
  drained_ = node;
  submit_everywhere("last-");
  run(does_work_in);
  if (broken())
    return;
  expect_all_ended("last-", "while " + node + " was drained");
  expect_drained(node);
  drained_.clear();
  cluster_.stop(node);
  run(2s);
  cluster_.start(node);
}

/// A node with work dies, and nobody is told: others continue its work once its lease has ended, and perhaps the
/// supervisor's was won again.
void aftermath::lose_a_node(const run_for& run, const is_broken& broken) {
  const auto node = some_node_to_lose();
  if (node.empty())
    return;
  services_.set_faults(slow());
  const std::size_t much = std::min(cluster_.shape().review_max, 3U); // more than one page, if there are so many
  submit_many("lost-");
  const auto is_enough = [&](workflow::span waited) { return in_hand_of(node).size() > (waited < 1s ? much : 0); };
  for (workflow::span waited{0}; waited < 3s && !is_enough(waited) && !broken(); waited += 2ms)
    run(2ms);
  if (cluster_.is_store_node(node)) { // it has taken a partition meanwhile, which another node would have to take first
    services_.set_faults(quick());
    return run(does_work_in);
  }
  const auto left = in_hand_of(node);
  const auto& lease = cluster_.shape().lease;
  const auto until_supervised = watch_.is_supervising(node) ? lease.renew_every : workflow::span{0};
  cluster_.kill(node, false);
  services_.set_faults(quick());
  run(lease.ttl + until_supervised + notices_in + commits_in);
  for (const auto number : left)
    if (in_hand_of(node).contains(number))
      watch_.complain(watch_.tasks().at(number).id + " is in flight at " + node
                      + ", which was lost for longer than its lease lasts (P6)");
  run(conditions_in);
  if (!broken() && !is_told_lost(node))
    watch_.complain("nobody was told that " + node + " is lost (P17)");
  cluster_.start(node);
  if (broken())
    return;
  run(does_work_in);
  for (int i = 0; i < many; ++i)
    expect_all_ended("lost-" + std::to_string(i) + "-", "after " + node + " was lost");
  if (!broken() && is_told_lost(node))
    watch_.complain(node + " is told to be lost, and has been back for a minute (P17)");
}

bool aftermath::is_told_lost(const std::string& node) {
  const auto open = cluster_.store().incidents(true, std::nullopt, 1000).incidents;
  return std::any_of(open.begin(), open.end(),
                     [&](const auto& x) { return x.what.cause.find("`" + node + "` is silent") != std::string::npos; });
}

/// A node does not renew its lease, but is still there.
void aftermath::lose_a_lease(const run_for& run, const is_broken& broken) {
  const auto node = some_node_to_lose();
  if (node.empty())
    return;
  constexpr workflow::span works = 10s;
  const auto unknown = cluster_.shape().lease.ttl + learns_in;
  cluster_.hang(node, "lease_actor", unknown + works);
  run(unknown);
  without_lease_ = node;
  submit_everywhere("leaseless-");
  submit_many("leaseless-many-");
  run(works);
  without_lease_.clear();
  if (broken())
    return;
  run(does_work_in);
  expect_all_ended("leaseless-", "while " + node + " had no lease");
}

/// They hang with work that no service answers: only the supervisor sees what is overdue, and all of it at once.
void aftermath::lose_all_schedulers(const run_for& run, const is_broken& broken) {
  services_.set_faults(mute());
  submit_many("overdue-");
  run(500ms);
  cluster_.hang_quietly("scheduler", overdue_for);
  run(overdue_for);
  services_.set_faults(quick());
  wait_until_all_ended(run, broken);
}

void aftermath::on_call(const std::string& node, const actors::call& what) {
  if (node == drained_)
    watch_.complain(what.task_id + " step `" + what.step + "` was called by " + node + ", which was drained (row 20)");
  if (node != without_lease_)
    return;
  for (const auto& [number, t] : watch_.tasks())
    if (t.id == what.task_id && t.locked_by != node)
      watch_.complain(t.id + " step `" + what.step + "` was ordered from " + node
                      + ", whose lease ended seconds ago (P6)");
}

// ---- at rest ----

void aftermath::ask_all() {
  for (const auto& [node, parts] : cluster_.parts()) {
    std::map<std::string, std::size_t> of_kind;
    for (const auto& part : all_of(parts))
      if (part.shown)
        ask(node, part.kind + ":" + part.name + ":" + std::to_string(of_kind[part.kind]++), part.shown);
  }
}

void aftermath::ask(const std::string& node, const std::string& kind, const actors::inspectable_actor& to) {
  world_.find(node)->system().spawn([this, to, what = kind + "@" + node](caf::event_based_actor* self) {
    actors::ask(self, to, answers_in, actors::inspect_state{1000})
      .then([this, what](const actors::actor_state& s) { states_[what] = s.tree; }, [](const caf::error&) {});
  });
}

/// A lease is renewed, or leases are read, at any time: a message that is there each time is not on its way.
void aftermath::count_what_is_kept() {
  if (states_.empty())
    watch_.complain("no actor has told its state, and nothing fails (P6)");
  for (const auto& [what, text] : std::exchange(states_, {})) {
    const auto kind = what.substr(0, what.find_first_of(":@"));
    if (auto more = too_much(kind, nlohmann::json::parse(text), cluster_.names().size()); !more.empty())
      kept_[what].push_back(std::move(more));
  }
}

void aftermath::expect_at_rest(const run_for& run) {
  const auto is_kept = [](std::size_t times) { return [times](const auto& x) { return x.second.size() == times; }; };
  for (std::size_t i = 0; i < times_asked && (i == 0 || std::any_of(kept_.begin(), kept_.end(), is_kept(i))); ++i) {
    ask_all();
    run(answers_in);
    count_what_is_kept();
  }
  for (const auto& [what, all] : kept_)
    if (all.size() == times_asked)
      watch_.complain("at rest " + what + " keeps what is over: " + all.back() + " (P28)");
}

// ---- new work ----

void aftermath::submit_everywhere(const std::string& prefix) {
  for (std::size_t i = 0; i < options_.workflows.size(); ++i)
    if (!workflow::has_waits(options_.workflows[i])) // those end when they like
      cluster_.submit(prefix + std::to_string(i), options_.workflows[i], true);
}

void aftermath::submit_many(const std::string& prefix) {
  for (int i = 0; i < many; ++i)
    submit_everywhere(prefix + std::to_string(i) + "-");
}

void aftermath::expect_all_ended(const std::string& prefix, const std::string& when) {
  for (std::size_t i = 0; i < options_.workflows.size(); ++i) {
    if (workflow::has_waits(options_.workflows[i]))
      continue;
    const auto id = prefix + std::to_string(i);
    const auto t = cluster_.store().find(id);
    if (!t && cluster_.has_left(id))
      continue;
    if (t && t->not_before + does_work_in / 2 > cluster_.clock_of(t->number)) // as its client wished
      continue;
    if (!t || !workflow::has_ended(*t))
      watch_.complain(id + (t ? " did not end" : " was not acknowledged") + " within a minute " + when + " (P6)");
  }
}

/// A node without which every agent is still somewhere.
std::string aftermath::some_node_to_drain() const {
  for (auto name = cluster_.names().rbegin(); name != cluster_.names().rend(); ++name)
    if (std::all_of(cluster_.homes().begin(), cluster_.homes().end(),
                    [&](const auto& home) { return home.second.size() > home.second.count(*name); }))
      return *name;
  return {};
}

/// Likewise, and not one with the store, or a partition of it.
std::string aftermath::some_node_to_lose() const {
  const auto node = some_node_to_drain();
  return cluster_.is_store_node(node) ? "" : node;
}

void aftermath::expect_drained(const std::string& node) {
  for (const auto& [number, t] : watch_.tasks())
    if (t.locked_by == node && !workflow::has_ended(t))
      watch_.complain(t.id + " is in flight at " + node + ", which was drained (P6)");
  for (std::uint32_t i = 0; i < cluster_.shape().partitions; ++i)
    for (const auto& l : cluster_.store_of(i).leases(cluster_.store_clock(i)))
      if (l.name == "supervisor" && l.holder.starts_with(node + ":") && l.expires_at > cluster_.clock_now(i))
        watch_.complain(node + " supervises, and was drained (row 20)");
}

void aftermath::expect_none_left(workflow::span kept_for) {
  auto& s = cluster_.store();
  if (!s.alerts(true, 1).empty())
    return; // it may be of one of them
  store::task_filter old;
  old.states = {workflow::process_state::processed, workflow::process_state::undone};
  old.ended_before = cluster_.clock_now() - kept_for - leaves_in;
  for (const auto& t : s.list(old, std::nullopt, 100).tasks)
    if (t.reply_to.empty() || t.notices == cluster_.listener().heard_of(t.number))
      watch_.complain(t.id + " is in the store two minutes after it should have left");
}

} // namespace steadfast::simulation
