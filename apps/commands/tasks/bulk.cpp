// Acts on many tasks: the node carries them out, the terminal shows their progress.

#include "apps/commands/tasks/bulk.hpp"

#include "api/names.hpp"
#include "apps/command_line/commands.hpp"
#include "apps/command_line/filter.hpp"
#include "apps/terminal/exit_code.hpp"
#include "apps/terminal/failure.hpp"
#include "apps/terminal/interrupt.hpp"
#include "apps/terminal/table.hpp"
#include "apps/views/story.hpp"
#include "runtime/text/quantity.hpp"
#include "runtime/text/time_text.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <deque>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace steadfast::apps {
namespace {

using nlohmann::json;

constexpr workflow::span progress_look_every{200};
constexpr workflow::span rate_over{5000};
constexpr std::size_t refusals_shown = 20;
std::uint64_t count_in(const json& b, const char* name) {
  return b.value(name, std::uint64_t{0});
}

std::uint64_t met(const json& b) {
  return count_in(b, "done") + count_in(b, "refused") + count_in(b, "skipped");
}

std::string counts_text(const json& b) {
  return std::to_string(count_in(b, "done")) + " done, " + std::to_string(count_in(b, "refused")) + " refused, "
         + std::to_string(count_in(b, "skipped")) + " skipped of about " + std::to_string(count_in(b, "about"));
}

std::string tasks_text(std::uint64_t n) {
  return runtime::counted(n, "task");
}

// ---- how fast it goes ----

class progress_line {
public:
  progress_line() : to_{standard_output()} {}

  void show(const json& b, workflow::instant now) {
    seen_.push_back({now, met(b)});
    while (seen_.size() > 2 && seen_.front().at < now - rate_over)
      seen_.pop_front();
    if (to_.is_terminal)
      std::cout << '\r' << cut(b.value("act", std::string{}) + ": " + counts_text(b) + pace(b), to_.width - 1)
                << "\x1b[K" << std::flush;
  }

  void clear() const {
    if (to_.is_terminal)
      std::cout << "\r\x1b[K" << std::flush;
  }

private:
  struct progress_at {
    workflow::instant at;
    std::uint64_t met = 0;
  };

  std::string pace(const json& b) const {
    const auto took = seen_.back().at - seen_.front().at;
    const auto tasks = seen_.back().met - std::min(seen_.back().met, seen_.front().met);
    if (took <= workflow::span{0} || tasks == 0)
      return {};
    const auto per_second = tasks * 1000 / static_cast<std::uint64_t>(took.count());
    const auto left = count_in(b, "about") - std::min(count_in(b, "about"), met(b));
    const workflow::span time_left{static_cast<std::int64_t>(left) * took.count() / static_cast<std::int64_t>(tasks)};
    return ", " + std::to_string(per_second) + "/s, " + rough_text(time_left) + " left";
  }

  terminal to_;
  std::deque<progress_at> seen_;
};

// ---- its end ----

void print_refusals(const json& shown) {
  const auto refused = count_in(shown.at("bulk"), "refused");
  const auto& list = shown.at("refusals");
  for (std::size_t i = 0; i < std::min(list.size(), refusals_shown); ++i)
    std::cerr << "steadfast: " << printable(list[i].value("task_id", "")) << ": " << printable(list[i].value("why", ""))
              << '\n';
  std::cerr << "steadfast: " << refused << " of " << tasks_text(met(shown.at("bulk"))) << " refused it";
  if (refused > refusals_shown)
    std::cerr << "; `steadfast bulk show " << shown.at("bulk").at("number") << "` lists them";
  std::cerr << '\n';
}

int tell_end(const json& shown, const bulk_follow& how) {
  const auto& b = shown.at("bulk");
  const bool is_stopped = b.at("state") == "stopped";
  if (how.json)
    print_json(shown);
  else
    std::cout << b.value("act", "") << ": " << counts_text(b) << std::endl;
  if (count_in(b, "refused") > 0 && !how.json)
    print_refusals(shown);
  if (is_stopped)
    throw failure{refused, "bulk act " + b.at("number").dump() + " was stopped by "
                             + printable(b.value("stopped_by", "")) + ": what is not done stays as it is"};
  return count_in(b, "refused") > 0 ? refused : done;
}

/// What was done so far. Another answer may be on its way.
[[noreturn]] void stop_it(client& node, std::uint64_t number, const bulk_follow& how) {
  const auto shown = node.call(api::bulk_stop, {{"bulk", number}, {"who", who_acts()}, {"why", "Ctrl-C"}});
  const auto& b = shown.at("bulk");
  if (how.json)
    print_json(shown);
  throw failure{interrupted, "stopped: " + b.value("act", "") + " is done for " + std::to_string(count_in(b, "done"))
                               + " of about " + tasks_text(count_in(b, "about")) + ", the others are as they were"};
}

std::string how_to_go_on(std::uint64_t number) {
  return "`steadfast bulk follow " + std::to_string(number) + "`";
}

// ---- commands ----

struct bulk_arguments {
  node_choice node;
  bool all = false;
  std::size_t limit = 100;
  std::uint64_t number = 0;
  std::string why;
};

int list(const bulk_arguments& g) {
  auto node = connect(g.node);
  const auto now = wall_clock();
  json params{{"all", g.all}};
  table rows{{"bulk", "act", "state", "done", "refused", "skipped", "about", "age", "who", "where"}};
  std::size_t n = 0;
  for (bool more = true; more && n < g.limit;) {
    params["max"] = std::min(page_size, g.limit - n);
    const auto page = node.call(api::bulk_list, params);
    for (const auto& b : page.at("bulk_acts")) {
      ++n;
      if (g.node.json)
        print_json(b);
      else
        rows.add({b.at("number").dump(), b.value("act", ""), b.value("state", ""), b.at("done").dump(),
                  b.at("refused").dump(), b.at("skipped").dump(), b.at("about").dump(),
                  rough_text(std::max(now - instant_of(b.at("started_at")), workflow::span{0})), b.value("who", ""),
                  b.value("where", "")});
    }
    more = !page.at("next").is_null();
    params["before"] = more ? page.at("next") : json(0);
  }
  if (g.node.json)
    return done;
  if (rows.empty())
    std::cout << (g.all ? "there has been no bulk act\n" : "there is no open bulk act\n");
  else
    std::cout << rows.text(standard_output());
  return done;
}

int show(const bulk_arguments& g) {
  auto node = connect(g.node);
  const auto shown = node.call(api::bulk_show, {{"bulk", g.number}});
  if (g.node.json) {
    print_json(shown);
    return done;
  }
  const auto& b = shown.at("bulk");
  const auto now = wall_clock();
  std::cout << "bulk act " << g.number << ": " << b.value("act", "") << ", " << b.value("state", "") << ", "
            << counts_text(b) << '\n';
  print_field("where", b.value("where", ""));
  print_field("step", b.value("step", ""));
  print_field("began", moment_text(b.at("started_at"), now) + " by " + b.value("who", "")
                         + (b.value("why", "").empty() ? "" : ": " + b.value("why", "")));
  print_field("ended", moment_text(b.at("ended_at"), now));
  if (const auto by = b.value("stopped_by", ""); !by.empty())
    print_field("stopped by", by + (b.value("stopped_why", "").empty() ? "" : ": " + b.value("stopped_why", "")));
  for (const auto& r : shown.at("refusals"))
    print_field("refused by " + r.value("task_id", ""), r.value("why", ""));
  if (const auto left =
        count_in(b, "refused") - std::min<std::uint64_t>(count_in(b, "refused"), shown.at("refusals").size());
      left > 0)
    std::cout << "  and by " << tasks_text(left) << " more\n";
  return done;
}

int stop(const bulk_arguments& g) {
  auto node = connect(g.node);
  const auto shown = node.call(api::bulk_stop, {{"bulk", g.number}, {"who", who_acts()}, {"why", g.why}});
  if (g.node.json)
    print_json(shown);
  else
    std::cout << "bulk act " << g.number << " is stopped: " << counts_text(shown.at("bulk")) << '\n';
  return done;
}

using shared_bulk_arguments = std::shared_ptr<bulk_arguments>;

shared_bulk_arguments add_about_one(CLI::App& to, command& chosen, const char* name, const char* help,
                                    int (*run)(const bulk_arguments&), const std::string& footer) {
  auto g = std::make_shared<bulk_arguments>();
  auto* sub = to.add_subcommand(name, help);
  sub->add_option("number", g->number, "Number of the bulk act")
    ->required()
    ->check(why_no_number, "")
    ->type_name("BULK");
  if (run == stop)
    sub->add_option("--why", g->why, "Reason, kept with it")->type_name("TEXT");
  add_node_choice(*sub, g->node);
  sub->footer(footer + "Example: steadfast bulk " + name + " 7");
  sub->callback([g, run, &chosen] { chosen = [g, run] { return run(*g); }; });
  return g;
}

int follow(const bulk_arguments& g) {
  auto node = connect(g.node);
  return follow_bulk(node, g.number, {g.node.json, false});
}

} // namespace

int follow_bulk(client& node, std::uint64_t number, const bulk_follow& how) {
  const interrupt_guard guard;
  progress_line line;
  try {
    for (;;) {
      const auto shown = node.call(api::bulk_show, {{"bulk", number}});
      if (shown.at("bulk").at("state") != "open") {
        line.clear();
        return tell_end(shown, how);
      }
      if (!how.json)
        line.show(shown.at("bulk"), wall_clock());
      if (interrupt_guard::interrupted()) {
        line.clear();
        if (how.stops)
          stop_it(node, number, how);
        throw failure{interrupted, "stopped watching; the bulk act continues: " + how_to_go_on(number)};
      }
      std::this_thread::sleep_for(progress_look_every);
    }
  } catch (const client_error& e) {
    line.clear();
    if (e.why() != client_error::kind::unreachable)
      throw;
    throw failure{no_node, std::string{"the node is gone: "} + e.what() + "; bulk act " + std::to_string(number)
                             + " continues when it is back: " + how_to_go_on(number)};
  }
}

void print_plan(std::ostream& to, const json& plan) {
  const auto act = plan.value("act", std::string{});
  const auto count = count_in(plan, "count");
  const auto looked_at = count_in(plan, "looked_at");
  to << "would " << act << " " << tasks_text(count_in(plan, "would"));
  if (looked_at < count)
    to << " of the newest " << looked_at << "; " << count << " match";
  to << '\n';
  for (const auto& x : plan.value("states_after", json::array())) // older nodes do not tell
    to << "  then " << x.value("process_state", "") << ": " << tasks_text(count_in(x, "tasks")) << '\n';
  for (const auto& x : plan.value("undone", json::array()))
    to << "  undo step `" << printable(x.value("step", "")) << "` of " << printable(x.value("workflow", ""))
       << " by agent `" << printable(x.value("agent", "")) << "`: " << tasks_text(count_in(x, "tasks")) << '\n';
  for (const auto& x : plan.value("left", json::array()))
    to << "  stays: step `" << printable(x.value("step", "")) << "` of " << printable(x.value("workflow", "")) << ", "
       << x.value("why", "") << ": " << tasks_text(count_in(x, "tasks")) << ", such as "
       << printable(x.value("sample", "")) << '\n';
  for (const auto& x : plan.at("refusals"))
    to << "  would not: " << printable(x.value("why", "")) << ": " << tasks_text(count_in(x, "tasks")) << ", such as "
       << printable(x.value("sample", "")) << '\n';
  std::string ids;
  for (const auto& id : plan.at("tasks"))
    ids += (ids.empty() ? "" : ", ") + id.get<std::string>();
  if (!ids.empty())
    to << "  tasks: " << printable(ids) << (plan.at("tasks").size() < count ? ", ..." : "") << '\n';
}

void add_bulk(CLI::App& to, command& chosen) {
  auto* bulk = to.add_subcommand("bulk", "Acts on many tasks, carried out by the node");
  bulk->require_subcommand(1);

  auto l = std::make_shared<bulk_arguments>();
  auto* list_sub = bulk->add_subcommand("list", "Open bulk acts, the newest first");
  list_sub->add_flag("--all", l->all, "Include those that are over");
  list_sub->add_option("--limit", l->limit, "Show at most N [100]")
    ->check(CLI::Range(std::size_t{1}, std::size_t{10'000}));
  add_node_choice(*list_sub, l->node);
  list_sub->footer("`steadfast task retry --where ...` and the like begin one.\n\nExample: steadfast bulk list --all");
  list_sub->callback([l, &chosen] { chosen = [l] { return list(*l); }; });

  add_about_one(*bulk, chosen, "show", "One bulk act: its progress, and which tasks refused it", show, "");
  add_about_one(*bulk, chosen, "stop", "Stop one: what is done stays done, the rest is left as it is", stop, "");
  add_about_one(*bulk, chosen, "follow", "Follow its progress until it is over", follow,
                "The exit code is 0 if no task refused it, 1 if some did or it was stopped.\nCtrl-C stops "
                "looking, not the bulk act.\n\n");
}

} // namespace steadfast::apps
