// The cluster at a glance, full screen, refreshed: as top(1) for processes.

#include "api/names.hpp"
#include "apps/command_line/commands.hpp"
#include "apps/command_line/filter.hpp"
#include "apps/command_line/node_access.hpp"
#include "apps/terminal/exit_code.hpp"
#include "apps/terminal/failure.hpp"
#include "apps/terminal/full_screen.hpp"
#include "apps/terminal/table.hpp"
#include "apps/views/agents.hpp"
#include "apps/views/health.hpp"
#include "apps/views/story.hpp"
#include "runtime/text/quantity.hpp"
#include "runtime/text/time_text.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <vector>

namespace steadfast::apps {
namespace {

using nlohmann::json;

constexpr std::size_t slowest_shown = 5;
constexpr std::size_t waits_shown = 4;
constexpr std::size_t incidents_shown = 5;
constexpr std::size_t agents_shown_when_small = 4; ///< on a terminal of less than 40 lines
constexpr std::size_t agents_shown = 12;
constexpr std::uint32_t tasks_looked_at = 1000; ///< of each scheduler
constexpr std::uint32_t waits_age_max = 10'000; ///< milliseconds; for them all unfinished tasks are read

struct top_arguments {
  node_choice node;
  std::string interval = "1s";
  std::size_t times = 0;
};

/// What only grows; its difference over time is a rate.
struct totals {
  std::chrono::steady_clock::time_point at;
  std::uint64_t submitted = 0;
  std::uint64_t ended = 0;
  std::uint64_t attempts = 0;
};

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

glance look(client& node) {
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
    const auto paint = count == 0 ? colour::faint : colour_of_state(state);
    line += (line.empty() ? "" : "  ") + painted(std::to_string(count) + " " + state, paint, to);
  }
  return line;
}

std::string nodes_text(const glance& g, const terminal& to) {
  table rows{{"node", "state", "roles", "tasks", "waiting messages", "supervises"}};
  for (const auto& n : g.how.at("nodes")) {
    const auto name = n.value("name", std::string{});
    const auto s = g.schedulers.find(name);
    const bool known = s != g.schedulers.end();
    const auto state = n.value("state", std::string{});
    rows.add({name,
              {state, colour_of_state(state)},
              n.value("roles", std::string{}),
              known ? std::to_string(s->second.value("open", std::uint64_t{0})) : "-",
              known ? std::to_string(s->second.value("waiting", std::uint64_t{0})) : "-",
              n.value("supervises", false) ? "yes" : ""});
  }
  return rows.text(to);
}

std::string agents_text(const glance& g, workflow::instant now, const terminal& to) {
  if (g.agents.empty())
    return "no living node has an agent\n";
  const auto shown = to.height < 40 ? agents_shown_when_small : agents_shown;
  const auto more = g.agents.size() - std::min(g.agents.size(), shown);
  return agent_table(g.agents, now, shown, to.width / 4).text(to)
         + (more == 0 ? "" : "and " + runtime::counted(more, "more agent") + ": see `agents`\n");
}

std::string slowest_text(const glance& g, workflow::instant now, const terminal& to) {
  table rows{{"longest attempt", "step", "agent", "for", "must answer in"}};
  std::size_t rest = slowest_shown;
  for (const auto& a : g.attempts) {
    rows.add({a.task, a.step, a.agent, rough_text(std::max(now - a.began, workflow::span{0})),
              a.limit > now ? rough_text(a.limit - now) : "overdue"});
    if (--rest == 0)
      break;
  }
  return rows.empty() ? "no attempt is under way\n" : rows.text(to);
}

std::string longest_waits_text(const json& how, workflow::instant now, const terminal& to) {
  table rows{{"waiting", "longest", "since", "what for"}};
  std::size_t rest = waits_shown;
  for (const auto& w : how.at("waits")) {
    rows.add({std::to_string(w.value("tasks", std::uint64_t{0})), w.value("longest", std::string{}),
              moment_text(w.value("since", json{}), now),
              cut(printable(w.value("detail", std::string{})), to.width / 2)});
    if (--rest == 0)
      break;
  }
  const auto stuck = how.at("stuck").size();
  return (stuck == 0 ? std::string{}
                     : painted(runtime::counted(stuck, "task") + (stuck == 1 ? " is" : " are") + " stuck: see `stuck`",
                               colour::bad, to)
                         + "\n")
         + (rows.empty() ? "no task waits\n" : rows.text(to));
}

std::string incidents_text(const glance& g, workflow::instant now, const terminal& to) {
  const auto& incidents = g.how.at("incidents");
  return incidents.empty() ? "no open incident\n" : incident_table(incidents, now, incidents_shown).text(to);
}

std::string sentence_text(const glance& g, workflow::instant now, const terminal& to) {
  const auto sentence = printable(localized(g.how.at("sentence").get<std::string>(), now));
  std::string text;
  for (const auto& line : wrapped(sentence, to.width))
    text += painted(line, g.how.at("well").get<bool>() ? colour::good : colour::bad, to) + "\n";
  return text;
}

/// At most `height` lines.
std::string fitting(const std::string& text, std::size_t height) {
  std::istringstream in{text};
  std::string out;
  std::size_t lines = 0;
  for (std::string line; lines < height && std::getline(in, line); ++lines)
    out += (lines == 0 ? "" : "\n") + line;
  return out;
}

std::string picture(const glance& g, const totals& before, const std::string& interval, const terminal& to) {
  const auto now = wall_clock();
  const auto alive = std::count_if(g.how.at("nodes").begin(), g.how.at("nodes").end(),
                                   [](const json& n) { return n.value("alive", false); });
  const auto head = local_text(now, false) + "  " + std::to_string(alive) + " of "
                    + runtime::counted(g.how.at("nodes").size(), "node") + " alive, every " + interval + ", q leaves";
  return sentence_text(g, now, to) + painted(cut(head, to.width), colour::strong, to) + "\n" + rates_line(g.sum, before)
         + "\n" + states_line(g.stats, to) + "\n\n" + nodes_text(g, to) + "\n" + agents_text(g, now, to) + "\n"
         + slowest_text(g, now, to) + "\n" + longest_waits_text(g.how, now, to) + "\n" + incidents_text(g, now, to);
}

/// The nodes that answer while the store does not, with the reason.
std::string picture_without_store(const json& listed, const std::string& why, const std::string& interval,
                                  const terminal& to) {
  glance g;
  g.how["nodes"] = listed.at("nodes");
  std::string text;
  for (const auto& line : wrapped(printable(why), to.width))
    text += painted(line, colour::bad, to) + "\n";
  const auto head = local_text(wall_clock(), false) + "  refreshes every " + interval + ", q leaves";
  return text + painted(cut(head, to.width), colour::strong, to) + "\n\n" + nodes_text(g, to);
}

/// A look at a cluster whose nodes may go and come back.
class watched_cluster {
public:
  /// Throws when no node answers.
  explicit watched_cluster(const top_arguments& g) : arguments_{g} {
    node_.emplace(connect(g.node));
    const auto seen = whole_picture({});
    if (!seen && !why_.empty())
      listed_ = node_->call(api::node_list, json::object());
  }

  std::string picture(const terminal& to) {
    try {
      if (!node_)
        node_.emplace(connect(arguments_.node));
      if (const auto whole = whole_picture(to))
        return *whole;
      listed_ = node_->call(api::node_list, json::object());
    } catch (const client_error& e) {
      node_.reset(); // answers on their way are outdated
      if (away_since_ == workflow::unset)
        away_since_ = wall_clock();
      why_ = "away since " + local_text(away_since_, false) + ": " + e.what();
      for (auto& n : listed_["nodes"])
        n["state"] = "unknown";
    }
    return picture_without_store(listed_, why_, arguments_.interval, to);
  }

private:
  /// Empty: the store cannot be asked.
  std::optional<std::string> whole_picture(const terminal& to) {
    try {
      const auto seen = look(*node_);
      const auto text = apps::picture(seen, before_.value_or(seen.sum), arguments_.interval, to);
      before_ = seen.sum;
      listed_["nodes"] = seen.how.at("nodes");
      away_since_ = workflow::unset;
      return text;
    } catch (const client_error& e) {
      if (e.why() == client_error::kind::unreachable)
        throw;
      why_ = e.what();
      before_.reset();
      return std::nullopt;
    }
  }

  const top_arguments& arguments_;
  std::optional<client> node_; ///< none: it was lost
  std::optional<totals> before_;
  json listed_ = {{"nodes", json::array()}}; ///< as they were seen last
  std::string why_;                          ///< it cannot be asked
  workflow::instant away_since_;             ///< unset: it answers
};

int run_top(const top_arguments& g) {
  const auto interval = runtime::parse_span(g.interval);
  if (!interval || *interval < workflow::span{100})
    throw failure{wrong_usage, "-n: `" + g.interval + "` is not a duration of at least 100 ms: write "
                                 + std::string{runtime::span_rule}};
  watched_cluster cluster{g};
  full_screen screen;
  if (!screen.wait(workflow::span{500})) // for the first rates
    return done;
  for (std::size_t i = 1;; ++i) {
    const auto to = standard_output();
    screen.show(fitting(cluster.picture(to), to.height));
    if (i == g.times || !screen.wait(*interval))
      return done;
  }
}

} // namespace

void add_top(CLI::App& to, command& chosen) {
  auto g = std::make_shared<top_arguments>();
  auto* sub =
    to.add_subcommand("top", "The cluster at a glance: rates, states, nodes, slowest attempts, waits, incidents");
  sub->add_option("-n,--interval", g->interval, "Refresh interval [1s]")->type_name("DURATION");
  sub->add_option("--times", g->times, "Stop after N refreshes [never]");
  add_node_choice(*sub, g->node, false);
  sub->footer("q or Ctrl-C leaves.\n\nExample: steadfast top -n 2s");
  sub->callback([g, &chosen] { chosen = [g] { return run_top(*g); }; });
}

} // namespace steadfast::apps
