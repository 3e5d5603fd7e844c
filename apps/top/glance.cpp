#include "apps/top/glance.hpp"

#include "api/names.hpp"
#include "apps/command_line/filter.hpp"
#include "apps/views/agents.hpp"
#include "apps/views/health.hpp"
#include "apps/views/story.hpp"
#include "runtime/text/quantity.hpp"
#include "runtime/text/time_text.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <utility>
#include <vector>

namespace steadfast::apps {
namespace {

using nlohmann::json;

constexpr std::size_t slowest_shown = 5;
constexpr std::size_t waits_shown = 4;
constexpr std::size_t incidents_shown = 5;
constexpr std::size_t agents_shown_when_small = 4; ///< on a terminal of less than 40 lines
constexpr std::size_t agents_shown = 12;
constexpr std::size_t narrow = 100;             ///< columns; below, tables have fewer of theirs
constexpr std::uint32_t tasks_looked_at = 1000; ///< of each scheduler
constexpr std::uint32_t waits_age_max = 10'000; ///< milliseconds; for them all unfinished tasks are read

struct open_attempt {
  std::string task;
  std::string step;
  std::string agent;
  workflow::instant began;
  workflow::instant limit;
};

struct glance {
  totals sum;
  json stats;
  json agents;
  json how;                               ///< what `health.show` answered
  std::map<std::string, json> schedulers; ///< by node: the state of its scheduler
  std::vector<open_attempt> attempts;     ///< the longest under way first
};

// ---- looking ----

void look_at_schedulers(client& node, glance& g) {
  const auto listed = node.call(api::actor_list, {{"kind", "scheduler"}});
  for (const auto& a : listed.at("actors")) {
    const auto shown = node.call(api::actor_show, {{"id", a.at("id")}, {"max", tasks_looked_at}});
    if (!shown.value("answers", false))
      continue;
    const auto& state = shown.at("state");
    g.sum.attempts += state.value("dispatched", std::uint64_t{0});
    for (const auto& t : state.at("tasks"))
      for (const auto& x : t.value("attempts", json::array()))
        g.attempts.push_back({t.value("id", std::string{}), x.value("step", std::string{}),
                              x.value("agent", std::string{}), instant_of(x.at("began_at")),
                              instant_of(x.at("complete_by"))});
    g.schedulers[a.value("node", std::string{})] = shown;
  }
  std::sort(g.attempts.begin(), g.attempts.end(),
            [](const open_attempt& a, const open_attempt& b) { return a.began < b.began; });
}

glance look_at(client& node) {
  glance g;
  g.stats = node.call(api::store_stats, json::object());
  g.how = node.call(api::health_show, {{"max_age_ms", waits_age_max}});
  g.agents = node.call(api::agent_list, json::object()).at("agents");
  g.sum.at = std::chrono::steady_clock::now();
  g.sum.submitted = g.stats.value("last_number", std::uint64_t{0});
  for (const auto* state : {"processed", "undone", "error"})
    g.sum.ended += g.stats.at("tasks").value(state, std::uint64_t{0});
  g.sum.ended += g.stats.value("tasks_purged", std::uint64_t{0});
  look_at_schedulers(node, g);
  return g;
}

// ---- showing ----

std::string rate(std::uint64_t now, std::uint64_t before, double seconds) {
  char text[32];
  const auto grown = now > before ? static_cast<double>(now - before) : 0.0;
  std::snprintf(text, sizeof text, "%.1f", seconds > 0 ? grown / seconds : 0.0);
  return text;
}

std::string rates_line(const totals& now, const totals& before) {
  const double seconds = std::chrono::duration<double>(now.at - before.at).count();
  return rate(now.submitted, before.submitted, seconds) + " tasks submitted/s, "
         + rate(now.ended, before.ended, seconds) + " ended/s, " + rate(now.attempts, before.attempts, seconds)
         + " attempts/s";
}

std::string states_line(const json& stats, const terminal& to) {
  std::string line;
  for (const auto* state : {"pending", "processing", "undoing", "suspended", "error", "processed", "undone"}) {
    const auto count = stats.at("tasks").value(state, std::uint64_t{0});
    if (count == 0 && to.width < narrow)
      continue;
    const auto paint = count == 0 ? colour::faint : colour_of_state(state);
    line += (line.empty() ? "" : "  ") + painted(std::to_string(count) + " " + state, paint, to);
  }
  return line;
}

using command_lines = std::vector<std::vector<std::string>>;

board_list nodes_list(const glance& g, const std::string& asked) {
  board_list list{table{{"node", "state", "roles", "tasks", "waiting messages", "supervises"}}};
  for (const auto& n : g.how.at("nodes")) {
    const auto name = n.value("name", std::string{});
    const auto s = g.schedulers.find(name);
    const bool known = s != g.schedulers.end();
    const auto state = n.value("state", std::string{});
    list.rows.add({name,
                   {state, colour_of_state(state)},
                   n.value("roles", std::string{}),
                   known ? std::to_string(s->second.value("open", std::uint64_t{0})) : "-",
                   known ? std::to_string(s->second.value("waiting", std::uint64_t{0})) : "-",
                   n.value("supervises", false) ? "yes" : ""});
    command_lines commands{{"actor", "list", "--node", name}, {"agent", "list", "--node", name}};
    if (name == asked)
      commands.insert(commands.begin(), {"node", "show"});
    list.items.push_back({"node " + name, std::move(commands)});
  }
  list.shown = list.rows.size();
  return list;
}

board_list agents_list(const glance& g, workflow::instant now, const terminal& to) {
  board_list list{agent_table(g.agents, now, g.agents.size(), to.width / 4)};
  for (std::size_t i = 0; i < list.rows.size(); ++i) {
    const auto& name = list.rows.at(i, 0);
    list.items.push_back({"agent " + name + " at node " + list.rows.at(i, 1),
                          {{"agent", "list", name}, {"task", "list", "--limit", "20", "--where", "agent=" + name}}});
  }
  if (to.width < narrow)
    list.rows.drop({"service", "p50", "p99", "waiting"});
  list.when_empty = "no living node has an agent";
  list.shown = to.height < 40 ? agents_shown_when_small : agents_shown;
  list.rest = "agent";
  list.all = {"agents", {{"agent", "list"}}};
  return list;
}

board_item task_item(const std::string& list, const std::string& id) {
  return {list + " " + id, {{"task", "explain", id}, {"task", "show", id}}};
}

board_list slowest_list(const glance& g, workflow::instant now) {
  board_list list{table{{"longest attempt", "step", "agent", "for", "must answer in"}}};
  for (const auto& a : g.attempts) {
    list.rows.add({a.task, a.step, a.agent, rough_text(std::max(now - a.began, workflow::span{0})),
                   a.limit > now ? rough_text(a.limit - now) : "overdue"});
    list.items.push_back(task_item("step " + a.step + " of", a.task));
  }
  list.when_empty = "no attempt is under way";
  list.shown = slowest_shown;
  list.rest = "attempt";
  list.all = {"task list", {{"task", "list", "--where", "state=processing|undoing"}}};
  list.says_rest = false;
  return list;
}

board_list waits_list(const json& how, workflow::instant now, const terminal& to) {
  board_list list{table{{"waiting", "longest", "since", "what for"}}};
  for (const auto& w : how.at("waits")) {
    const auto longest = w.value("longest", std::string{});
    list.rows.add({std::to_string(w.value("tasks", std::uint64_t{0})), longest,
                   moment_text(w.value("since", json{}), now),
                   cut(printable(w.value("detail", std::string{})), to.width / 2)});
    list.items.push_back(task_item("wait of", longest));
  }
  list.when_empty = "no task waits";
  list.shown = waits_shown;
  list.rest = "reason";
  list.all = {"stuck", {{"task", "stuck"}}};
  list.says_rest = false;
  if (const auto stuck = how.at("stuck").size(); stuck > 0)
    list.lead = {
      painted(runtime::counted(stuck, "task") + (stuck == 1 ? " is" : " are") + " stuck: see `stuck`", colour::bad, to),
      {"stuck tasks", {{"task", "stuck"}}}};
  return list;
}

board_list incidents_list(const glance& g, workflow::instant now, const terminal& to) {
  const auto& incidents = g.how.at("incidents");
  board_list list{incident_table(incidents, now, incidents.size())};
  for (std::size_t i = 0; i < list.rows.size(); ++i)
    list.items.push_back({"incident " + list.rows.at(i, 0), {{"incidents", "show", list.rows.at(i, 0)}}});
  if (to.width < narrow)
    list.rows.drop({"last", "kind", "agent"});
  list.when_empty = "no open incident";
  list.shown = incidents_shown;
  list.rest = "incident";
  list.all = {"incidents", {{"incidents", "list"}}};
  list.says_rest = false;
  return list;
}

std::string sentence_text(const glance& g, workflow::instant now, const terminal& to) {
  const auto sentence = printable(localized(g.how.at("sentence").get<std::string>(), now));
  std::string text;
  for (const auto& line : wrapped(sentence, to.width))
    text += painted(line, g.how.at("well").get<bool>() ? colour::good : colour::bad, to) + "\n";
  return text;
}

std::string head_line(const std::string& text, const terminal& to) {
  return painted(cut(local_text(wall_clock(), false) + "  " + text, to.width), colour::strong, to) + "\n";
}

} // namespace

watched_cluster::watched_cluster(const node_choice& node, std::string interval, std::string head_end)
    : choice_{node},
      interval_{std::move(interval)},
      head_end_{std::move(head_end)} {
  reach();
  const auto seen = whole({});
  if (!seen && !why_.empty())
    listed_ = node_->call(api::node_list, json::object());
}

void watched_cluster::reach() {
  node_.emplace(connect(choice_));
  try {
    name_ = node_->call(api::node_describe, json::object()).at("name").get<std::string>();
  } catch (const client_error&) {
    name_.clear(); // the next question says why
  }
}

board watched_cluster::look(const terminal& to) {
  try {
    if (!node_)
      reach();
    if (auto all = whole(to))
      return std::move(*all);
    listed_ = node_->call(api::node_list, json::object());
  } catch (const client_error& e) {
    node_.reset(); // answers on their way are outdated
    if (away_since_ == workflow::unset)
      away_since_ = wall_clock();
    why_ = "away since " + local_text(away_since_, false) + ": " + e.what();
    for (auto& n : listed_["nodes"])
      n["state"] = "unknown";
  }
  board b; // the nodes that answer while the store does not, with the reason
  for (const auto& line : wrapped(printable(why_), to.width))
    b.head += painted(line, colour::bad, to) + "\n";
  b.head += head_line("refreshes every " + interval_ + head_end_, to);
  glance g;
  g.how["nodes"] = listed_.at("nodes");
  b.lists.push_back(nodes_list(g, name_));
  return b;
}

/// Nothing: the store cannot be asked.
std::optional<board> watched_cluster::whole(const terminal& to) {
  try {
    const auto g = look_at(*node_);
    const auto now = wall_clock();
    const auto& nodes = g.how.at("nodes");
    const auto alive = std::count_if(nodes.begin(), nodes.end(), [](const json& n) { return n.value("alive", false); });
    board b;
    b.head = sentence_text(g, now, to)
             + head_line(std::to_string(alive) + " of " + runtime::counted(nodes.size(), "node") + " alive, every "
                           + interval_ + head_end_,
                         to)
             + rates_line(g.sum, before_.value_or(g.sum)) + "\n" + states_line(g.stats, to) + "\n";
    b.lists = {nodes_list(g, name_), agents_list(g, now, to), slowest_list(g, now), waits_list(g.how, now, to),
               incidents_list(g, now, to)};
    before_ = g.sum;
    listed_["nodes"] = nodes;
    away_since_ = workflow::unset;
    return b;
  } catch (const client_error& e) {
    if (e.why() == client_error::kind::unreachable)
      throw;
    why_ = e.what();
    before_.reset();
    return std::nullopt;
  }
}

} // namespace steadfast::apps
