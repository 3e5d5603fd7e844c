// What is told to who follows all tasks, of changes that come in any way.

#include "api/names.hpp"
#include "runtime/events/event_log.hpp"

#include <catch2/catch.hpp>

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace steadfast;
using nlohmann::json;

namespace {

/// The position that is the id of the event.
runtime::event_position id_of(const runtime::task_event& e) {
  const auto from = e.text.find("id: ") + 4;
  return runtime::parse_event_position(e.text.substr(from, e.text.find('\n', from) - from)).value();
}

/// A log whose node answers with these tasks, and which reads when it is let.
struct told_log {
  std::vector<json> tasks;
  std::vector<json> ended;
  std::uint64_t last_number;
  std::function<void()> when_listed{}; ///< the unfinished ones
  std::deque<std::function<void()>> to_run;
  std::shared_ptr<runtime::change_hub> hub = std::make_shared<runtime::change_hub>();
  std::shared_ptr<runtime::event_log> log;
  runtime::event_position at;
  workflow::instant now{std::chrono::hours{1}};

  explicit told_log(std::uint64_t newest) : last_number{newest} {
    auto methods = std::make_shared<control_methods>();
    methods->emplace(api::store_stats, [this](const json&) {
      return json{{"last_number", last_number}, {"tasks_purged", 0}};
    });
    methods->emplace(api::task_list, [this](const json& params) {
      const json listed{{"tasks", params.contains("ended_after_ms") ? ended : tasks}, {"next", nullptr}};
      if (params.contains("states") && !params.contains("ended_after_ms") && when_listed)
        when_listed();
      return listed;
    });
    const runtime::watch_parts parts{methods, hub, [this](auto f) { to_run.push_back(std::move(f)); },
                                     [](auto, auto) {}};
    log = std::make_shared<runtime::event_log>(parts, [this] { return now; });
    hub->take({{}, false, true});
    at = log->begin();
  }

  /// The kinds and revisions of what is told now.
  std::vector<std::pair<std::string, std::uint64_t>> told_after(const runtime::task_changes& c) {
    hub->take(c);
    for (; !to_run.empty(); to_run.pop_front())
      to_run.front()();
    std::vector<std::pair<std::string, std::uint64_t>> all;
    auto r = log->read_after(at);
    for (const auto& e : r.events)
      all.emplace_back(e->kind, e->revision);
    at = r.reached;
    return all;
  }
};

json task(std::uint64_t number, std::uint64_t revision) {
  return {{"number", number},
          {"revision", revision},
          {"workflow", "w"},
          {"process_state", "processing"},
          {"submitted_at", "1970-01-01T00:59:00.000Z"},
          {"changed_at", "1970-01-01T01:00:00.000Z"}};
}

using told = std::vector<std::pair<std::string, std::uint64_t>>;

} // namespace

TEST_CASE("row 107: a task that is read by its number and among all others is told of once") {
  told_log x{1};
  x.tasks = {task(1, 4)};
  CHECK(x.told_after({{1}, true, true}) == told{{"changed", 4}});
  CHECK(x.told_after({{1}, true, true}).empty());
  x.tasks = {task(1, 5)};
  CHECK(x.told_after({{1}, false, true}) == told{{"changed", 5}});
  x.tasks = {task(2, 2), task(1, 5)}; // 2 is new
  CHECK(x.told_after({{2}, true, true}) == told{{"submitted", 2}, {"changed", 2}});
}

TEST_CASE("row 107: a task that goes on is told as submitted, though a later one has ended while all were read") {
  told_log x{1};
  x.when_listed = [&x] { // 2 and 3 are submitted meanwhile
    x.when_listed = {};
    x.last_number = 3;
    x.tasks = {task(2, 1)};
    x.ended = {task(3, 4)};
  };
  CHECK(x.told_after({{}, true, true}).empty());
  x.tasks = {task(3, 4), task(2, 1)}; // read by number
  CHECK(x.told_after({{2, 3}, false, true})
        == told{{"submitted", 1}, {"changed", 1}, {"submitted", 4}, {"changed", 4}});
}

TEST_CASE("row 107: of what a late node tells at once only the last says that all until now was told") {
  told_log x{1};
  const auto before = x.now;
  const auto begun = x.at;
  x.now += std::chrono::seconds{15};
  x.tasks = {task(3, 1), task(2, 1), task(1, 4)};
  CHECK(x.told_after({{1, 2, 3}, true, true}).size() == 5);
  const auto events = x.log->read_after(begun).events;
  REQUIRE(events.size() == 5);
  for (std::size_t i = 0; i < events.size(); ++i) {
    const bool is_last = i + 1 == events.size();
    CHECK(id_of(*events[i]).at == (is_last ? x.now : before));
    CHECK(id_of(*events[i]).submitted.has(3) == is_last);
  }
  CHECK(x.at.at == x.now);
  x.now += std::chrono::seconds{15};
  x.told_after({{}, true, true}); // nothing has changed
  x.tasks = {task(1, 5)};
  CHECK(x.told_after({{1}, false, true}).size() == 1);
  CHECK(id_of(*x.log->read_after(begun).events.back()).at == x.now);
}
