// What Prometheus reads from a node: after known work, with parts that hang, and as docs/metrics.md tells it.

#include "runtime/control/control_methods.hpp"
#include "runtime/metrics/catalog.hpp"
#include "runtime/metrics/metrics.hpp"
#include "runtime/metrics/page.hpp"
#include "runtime/metrics/told.hpp"
#include "runtime/node/node_inside.hpp"
#include "store/contract/wrapped_store.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/fast_place.hpp"
#include "tests/support/processes/run_program.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/temp_folder.hpp"
#include "workflow/task/partition.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <chrono>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <thread>

using namespace steadfast;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

using actors::call;

/// The samples of a page: "name{labels}" and the value.
std::map<std::string, double> samples_of(const std::string& text) {
  std::map<std::string, double> all;
  std::istringstream in{text};
  for (std::string line; std::getline(in, line);)
    if (!line.starts_with('#') && !line.empty()) {
      INFO(line);
      const auto at = line.rfind(' ');
      REQUIRE(at != std::string::npos);
      CHECK(all.emplace(line.substr(0, at), std::stod(line.substr(at + 1))).second);
    }
  return all;
}

/// Counts nothing and tells no leases while it hangs.
class store_that_hangs : public store::wrapped_store {
public:
  store_that_hangs(std::shared_ptr<store::local_store> to, std::atomic<bool>& hangs)
      : to_{std::move(to)},
        hangs_{hangs} {}
  store::store_counts counts() const override {
    wait();
    return to_->counts();
  }
  std::vector<store::lease> leases(const workflow::clock_reading& clock) const override {
    wait();
    return to_->leases(clock);
  }

private:
  local_store& real() const override { return *to_; }

  void wait() const {
    while (hangs_)
      std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }

  std::shared_ptr<store::local_store> to_;
  std::atomic<bool>& hangs_;
};

workflow::definition trip() {
  workflow::definition d;
  d.name = "trip";
  d.steps.resize(2);
  d.steps[0].name = "hotel";
  d.steps[0].agent = "hotel";
  d.steps[0].compensation = workflow::compensation{};
  d.steps[0].compensation->agent = "cancel";
  d.steps[1].name = "taxi";
  d.steps[1].agent = "taxi";
  return d;
}

/// A node whose taxis can be full, and whose hotel fails twice for a task that says so.
struct measured_node {
  explicit measured_node(std::uint32_t partitions = 0) : running{options(partitions)} {
    const node_inside inside{running};
    running.add_workflow(trip());
    inside.wrap_store([this](auto real) { return std::make_shared<store_that_hangs>(std::move(real), store_hangs); });
    inside.add_agent("hotel", actors::quick_function{[](const call& c) {
                       return c.task_id == "patient" && c.try_number <= 2 ? actors::failed_for_now("busy", false)
                                                                          : actors::succeeded();
                     }},
                     quick_retries());
    inside.add_agent("cancel", actors::quick_function{[](const call&) { return actors::succeeded(); }});
    inside.add_agent("taxi", actors::quick_function{[](const call& c) {
                       return c.task_id == "stranded" ? actors::failed_for_good("no taxi") : actors::succeeded();
                     }});
    running.start();
    methods = methods_of(inside.system(), inside.parts());
  }

  node_options options(std::uint32_t partitions) const {
    node_options o;
    o.partitions = partitions;
    o.name = "n1";
    o.store.path = folder.path() / "store";
    o.socket.clear();
    actors::program_options cat;
    cat.program = "/bin/cat";
    cat.allow_root = true;
    webhook_entry page;
    page.what = {"page", {workflow::outward_event::processed}, {}};
    page.kind = cat;
    o.webhooks.push_back(page);
    return o;
  }

  static actors::agent_options quick_retries() {
    actors::agent_options o;
    o.retry.attempts = 5;
    o.retry.initial = workflow::span{1};
    return o;
  }

  void submit(const std::string& id) { methods.at("submit")({{"id", id}, {"workflow", "trip"}}); }
  void await(const std::string& id, const std::string& state) {
    INFO(id);
    CHECK(tests::comes_true([&] { return methods.at("task.state")({{"id", id}}).at("process_state") == state; }));
  }
  std::string text() const {
    const node_inside inside{running};
    return metrics_of(inside.system(), inside.parts()).text;
  }

  /// Three tasks of which one is undone, and two calls repeated.
  void work() {
    for (const auto* id : {"smooth", "patient", "stranded"})
      submit(id);
    await("smooth", "processed");
    await("patient", "processed");
    await("stranded", "undone");
  }

  tests::temp_folder folder{tests::fast_place()};
  std::atomic<bool> store_hangs{false};
  assembled_node running;
  control_methods methods;
};

std::set<std::string> label_names_in(const std::string& sample) {
  static const std::regex name{R"(([a-zA-Z_]+)=")"};
  std::set<std::string> all;
  for (std::sregex_iterator i{sample.begin(), sample.end(), name}, end; i != end; ++i)
    all.insert((*i)[1]);
  return all;
}

/// A row of the page's table.
struct row {
  std::string kind;
  std::vector<std::string> labels;
  std::string meaning;
};

std::map<std::string, row> rows_of_document() {
  std::ifstream in{std::string{STEADFAST_SOURCE_DIR} + "/docs/metrics.md"};
  const std::regex cells{R"(\| `([a-z_]+)` \| (\w+) \| (.*) \| (.*) \|)"};
  const std::regex label{"`([a-z]+)`"};
  std::map<std::string, row> rows;
  std::smatch found;
  for (std::string line; std::getline(in, line);)
    if (std::regex_match(line, found, cells)) {
      INFO(line);
      row r{found[2], {}, found[4]};
      const std::string labels = found[3];
      for (std::sregex_iterator i{labels.begin(), labels.end(), label}, end; i != end; ++i)
        r.labels.push_back((*i)[1]);
      CHECK(rows.emplace(found[1], std::move(r)).second);
    }
  return rows;
}

} // namespace

TEST_CASE("after three tasks, one of them undone, the page says so") {
  measured_node n;
  n.work();
  const auto s = samples_of(n.text());
  CHECK(s.at("steadfast_tasks{state=\"processed\"}") == 2);
  CHECK(s.at("steadfast_tasks{state=\"undone\"}") == 1);
  CHECK(s.at("steadfast_tasks{state=\"pending\"}") == 0);
  CHECK(s.at("steadfast_submissions_total{outcome=\"created\"}") == 3);
  CHECK(s.at("steadfast_tasks_submitted_total{workflow=\"trip\"}") == 3);
  CHECK(s.at("steadfast_tasks_ended_total{workflow=\"trip\",state=\"processed\"}") == 2);
  CHECK(s.at("steadfast_tasks_ended_total{workflow=\"trip\",state=\"undone\"}") == 1);
  CHECK(s.at("steadfast_tasks_ended_total{workflow=\"trip\",state=\"error\"}") == 0);
  CHECK(s.at("steadfast_failed_ratio{workflow=\"trip\"}") == Approx(1.0 / 3));
  CHECK(s.at("steadfast_agent_orders_total{agent=\"hotel\",action=\"do\"}") == 3);
  CHECK(s.at("steadfast_agent_orders_total{agent=\"cancel\",action=\"undo\"}") == 1);
  CHECK(s.at("steadfast_attempts_total{agent=\"hotel\",outcome=\"succeeded\"}") == 3);
  CHECK(s.at("steadfast_attempts_total{agent=\"taxi\",outcome=\"failed_permanent\"}") == 1);
  CHECK(s.at("steadfast_call_retries_total{agent=\"hotel\"}") == 2);
  CHECK(s.at("steadfast_call_retries_total{agent=\"taxi\"}") == 0);
  CHECK(s.at("steadfast_step_retries_total{agent=\"cancel\"}") == 0);
  CHECK(s.at("steadfast_call_seconds_count{agent=\"hotel\"}") == 5);
  CHECK(s.at("steadfast_call_seconds_bucket{agent=\"hotel\",le=\"+Inf\"}") == 5);
  CHECK(s.at("steadfast_queue_seconds_count{agent=\"hotel\"}") == 3);
  CHECK(s.at("steadfast_attempt_seconds_count{agent=\"hotel\"}") == 3);
  CHECK(s.at("steadfast_circuit{agent=\"hotel\",state=\"closed\"}") == 1);
  CHECK(s.at("steadfast_circuit{agent=\"hotel\",state=\"open\"}") == 0);
  CHECK(s.at("steadfast_scheduler_orders_total") == 7);
  CHECK(s.at("steadfast_claimable_tasks") == 0);
  CHECK(s.at("steadfast_oldest_claimable_seconds") == 0);
}

TEST_CASE("unfinished tasks are told by workflow and state, also of several partitions") {
  measured_node n{GENERATE(0U, 3U)};
  n.work();
  for (int i = 0; i < 5; ++i)
    n.methods.at("submit")(
      {{"id", "later" + std::to_string(i)}, {"workflow", "trip"}, {"not_before_ms", 4'000'000'000'000}});
  n.methods.at("task.act")({{"id", "later0"}, {"act", "suspend"}, {"who", "a test"}});
  const auto s = samples_of(n.text());
  CHECK(s.at("steadfast_unfinished_tasks{workflow=\"trip\",state=\"pending\"}") == 4);
  CHECK(s.at("steadfast_unfinished_tasks{workflow=\"trip\",state=\"suspended\"}") == 1);
  CHECK(s.at("steadfast_unfinished_tasks{workflow=\"trip\",state=\"processing\"}") == 0);
  CHECK_FALSE(s.contains("steadfast_unfinished_tasks{workflow=\"trip\",state=\"processed\"}"));
}

namespace {

store::store_stats stats_with(std::optional<std::uint64_t> pending) {
  store::store_stats s;
  if (pending)
    s.unfinished = {{"trip", {{workflow::process_state::pending, *pending}}}};
  return s;
}

} // namespace

TEST_CASE("a part of the unfinished tasks is not told as all of them") {
  told_by_parts told;
  told.of_own.emplace_back(stats_with(3));
  told.of_own.emplace_back(stats_with(4));
  page_writer all;
  write_store_metrics(all, told);
  const std::string sample = "steadfast_unfinished_tasks{workflow=\"trip\",state=\"pending\"}";
  CHECK(samples_of(all.text()).at(sample) == 7);
  told.of_own.emplace_back(stats_with({})); // it is still counting
  page_writer some;
  write_store_metrics(some, told);
  CHECK_FALSE(samples_of(some.text()).contains(sample));
}

namespace {

actors::actor_view actor_that_tells(const std::string& kind, const json& tree) {
  actors::actor_view a;
  a.kind = kind;
  a.answers = true;
  a.state.tree = tree.dump();
  return a;
}

} // namespace

TEST_CASE("of what may not be added up over the partitions of a store, the worst is told") {
  told_by_parts told;
  told.actors.emplace();
  auto& all = told.actors->actors;
  for (const auto* trouble : {"", "the disk is full", ""})
    all.push_back(actor_that_tells("store", {{"trouble", trouble}, {"stopped", false}, {"waiting", 2}}));
  for (const bool held : {true, false, true})
    all.push_back(actor_that_tells(
      "lease", {{"name", "supervisor"}, {"held", held}, {"epoch", held ? 7 : 0}, {"time_left_ms", held ? 4000 : 500}}));
  for (const bool active : {true, false, true})
    all.push_back(actor_that_tells("supervisor", {{"active", active}, {"sweeps", 3}, {"decided", 1}}));
  for (const bool draining : {false, true, true})
    all.push_back(actor_that_tells(
      "scheduler",
      {{"in_flight_max", 10}, {"claimed", 4}, {"dispatched", 5}, {"late_replies", 0}, {"draining", draining}}));
  for (const int waits : {7000, 9000})
    all.push_back(actor_that_tells(
      "webhook",
      {{"name", "page"}, {"waiting", 1}, {"oldest_ms", waits}, {"delivered", 1}, {"failed", 0}, {"given_up", 0}}));
  page_writer page;
  write_actor_metrics(page, told);
  const auto s = samples_of(page.text());
  CHECK(s.at("steadfast_store_takes_writes") == 0);
  CHECK(s.at("steadfast_store_waiting_writes") == 6);
  CHECK(s.at("steadfast_lease_held{lease=\"supervisor\"}") == 0);
  CHECK(s.at("steadfast_lease_epoch{lease=\"supervisor\"}") == 7);
  CHECK(s.at("steadfast_lease_left_seconds{lease=\"supervisor\"}") == 0.5);
  CHECK(s.at("steadfast_supervisor_active") == 0);
  CHECK(s.at("steadfast_supervisor_sweeps_total") == 9);
  CHECK(s.at("steadfast_draining") == 1);
  CHECK(s.at("steadfast_scheduler_tasks_max") == 30);
  CHECK(s.at("steadfast_webhook_oldest_seconds{webhook=\"page\"}") == 9);
}

TEST_CASE("the page of a node of three partitions is that of one, and a store is as full as its fullest partition") {
  measured_node n{3};
  n.work();
  CHECK(tests::comes_true([&] { return samples_of(n.text()).at("steadfast_supervisor_active") == 1; }));
  for (int i = 0; i < 40; ++i) // all in one partition
    n.methods.at("submit")(
      {{"id", "big/" + std::to_string(i)}, {"workflow", "trip"}, {"payload", {{"x", std::string(50'000, 'x')}}}});
  n.await("big/39", "processed");
  auto s = samples_of(n.text());
  CHECK(s.at("steadfast_submissions_total{outcome=\"created\"}") == 43);
  CHECK(s.at("steadfast_store_takes_writes") == 1);
  CHECK(s.at("steadfast_lease_held{lease=\"node/n1\"}") == 1);
  CHECK(s.at("steadfast_lease_left_seconds{lease=\"node/n1\"}") <= 10);
  CHECK(s.at("steadfast_lease_acquisitions_total{lease=\"supervisor\"}") == 1);
  CHECK(s.at("steadfast_scheduler_tasks_max") == 1024);
  CHECK(s.at("steadfast_nodes{state=\"alive\"}") == 1);
  CHECK(s.at("steadfast_draining") == 0);
  const auto in_all = n.methods.at("store.stats")(json::object()).at("bytes_used").get<double>();
  CHECK(s.at("steadfast_store_used_bytes") > 1.5 * in_all);
  CHECK(s.at("steadfast_store_used_bytes") < 3 * in_all);
}

TEST_CASE("what the journals of all partitions have written and hold is told") {
  measured_node n{3};
  for (std::uint32_t i = 0; i < 3; ++i) {
    INFO("partition " << i);
    const auto written = [&] { return samples_of(n.text()).at("steadfast_journal_written_bytes_total"); };
    const auto syncs = [&] { return samples_of(n.text()).at("steadfast_sync_seconds_count"); };
    std::string id = "t";
    while (workflow::partition_of(id, 3) != i)
      id += 't';
    const auto written_before = written();
    const auto syncs_before = syncs();
    n.methods.at("submit")({{"id", id}, {"workflow", "trip"}, {"payload", {{"x", std::string(200'000, 'x')}}}});
    CHECK(written() > written_before + 200'000);
    CHECK(syncs() > syncs_before);
  }
  CHECK(samples_of(n.text()).at("steadfast_journal_bytes") > 0);
}

TEST_CASE("row 142: tasks that end as a scheduler takes them, and that steps start, are counted as others are") {
  measured_node n;
  n.methods.at("workflow.register")(
    {{"text", "name = \"rest\"\n[[step]]\nname = \"rest\"\nsleep = \"10ms\"\n"}, {"who", "a test"}});
  n.methods.at("workflow.register")(
    {{"text", "name = \"family\"\n[[step]]\nname = \"rest\"\nworkflow = \"rest\"\n"}, {"who", "a test"}});
  n.methods.at("submit")({{"id", "t"}, {"workflow", "family"}});
  n.await("t", "processed");
  const auto s = samples_of(n.text());
  for (const std::string workflow : {"family", "rest"}) {
    INFO(workflow);
    CHECK(s.at("steadfast_tasks_submitted_total{workflow=\"" + workflow + "\"}") == 1);
    CHECK(s.at("steadfast_tasks_ended_total{workflow=\"" + workflow + "\",state=\"processed\"}") == 1);
  }
  CHECK(s.at("steadfast_submissions_total{outcome=\"created\"}") == 1);
}

TEST_CASE("the page tells where each webhook stands") {
  measured_node n;
  n.work();
  CHECK(tests::comes_true([&] {
    return samples_of(n.text()).at("steadfast_webhook_notifications_total{webhook=\"page\",outcome=\"delivered\"}")
           == 2;
  }));
  CHECK(tests::comes_true([&] { return samples_of(n.text()).at("steadfast_webhook_waiting{webhook=\"page\"}") == 0; }));
  CHECK(samples_of(n.text()).at("steadfast_webhook_oldest_seconds{webhook=\"page\"}") == 0);
}

TEST_CASE("the page tells of the store, the leases, the mailboxes and the process") {
  measured_node n;
  n.work();
  const auto s = samples_of(n.text());
  CHECK(s.at("steadfast_commit_seconds_count") > 3);
  CHECK(s.at("steadfast_commit_writes_sum") >= s.at("steadfast_commit_writes_count"));
  CHECK(s.at("steadfast_sync_seconds_count") > 3);
  CHECK(s.at("steadfast_journal_written_bytes_total") > 1000);
  CHECK(s.at("steadfast_journal_bytes") > 0);
  CHECK(s.at("steadfast_journal_bytes") <= s.at("steadfast_journal_written_bytes_total"));
  CHECK(s.at("steadfast_store_used_bytes") > 0);
  CHECK(s.at("steadfast_store_used_bytes") < s.at("steadfast_store_max_bytes"));
  CHECK(s.at("steadfast_store_takes_writes") == 1);
  CHECK(s.at("steadfast_lease_held{lease=\"supervisor\"}") == 1);
  CHECK(s.at("steadfast_lease_epoch{lease=\"node/n1\"}") > 0);
  CHECK(s.at("steadfast_lease_left_seconds{lease=\"supervisor\"}") > 0);
  CHECK(s.at("steadfast_supervisor_lease_left_seconds") > 0);
  CHECK(s.at("steadfast_node_lease_left_seconds{node=\"n1\"}") > 0);
  CHECK(s.at("steadfast_nodes{state=\"alive\"}") == 1);
  CHECK(s.at("steadfast_nodes{state=\"silent\"}") == 0);
  CHECK(s.at("steadfast_lease_acquisitions_total{lease=\"supervisor\"}") == 1);
  CHECK(s.at("steadfast_supervisor_active") == 1);
  CHECK(s.at("steadfast_messages_total{kind=\"agent\"}") > 3);
  CHECK(s.at("steadfast_mailbox_messages{kind=\"scheduler\"}") >= 0);
  for (const auto& [sample, value] : s)
    if (sample.starts_with("steadfast_silent_parts")) {
      INFO(sample);
      CHECK(value == 0);
    }
  CHECK(s.at("process_cpu_seconds_total") > 0);
  CHECK(s.at("process_open_fds") > 3);
  CHECK(s.at("process_max_fds") > s.at("process_open_fds"));
  CHECK(s.at("process_resident_memory_bytes") > 1'000'000);
  CHECK(s.at("process_virtual_memory_bytes") > s.at("process_resident_memory_bytes"));
  const auto now = std::chrono::duration<double>{std::chrono::system_clock::now().time_since_epoch()}.count();
  CHECK(s.at("process_start_time_seconds") < now + 10);
  CHECK(s.at("process_start_time_seconds") > now - 3600);
}

TEST_CASE("alerts of an incident that is muted do not hold the alert that a person is needed") {
  measured_node n;
  n.methods.at("workflow.register")(
    {{"text", "name = \"sold\"\n[[step]]\nname = \"sell\"\nagent = \"person\"\nquestion = \"?\"\nrole = \"r\"\n"
              "remind_every = \"10ms\"\nlimit = \"1h\"\n"},
     {"who", "a test"}});
  n.methods.at("submit")({{"id", "t"}, {"workflow", "sold"}});
  const auto alerts = [&n] {
    const auto s = samples_of(n.text());
    const auto found = s.find("steadfast_alerts{kind=\"waiting\"}");
    return found == s.end() ? -1 : found->second;
  };
  REQUIRE(tests::comes_true([&] { return alerts() >= 1; }));
  n.methods.at("incident.act")({{"incident", 1}, {"act", "mute"}, {"who", "a test"}});
  CHECK(tests::comes_true([&] { return alerts() == 0; }));
  CHECK(samples_of(n.text()).at("steadfast_incidents{kind=\"waiting\"}") == 1);
}

TEST_CASE("a store that does not answer costs the page a bounded time and what it would have told") {
  measured_node n;
  n.work();
  n.store_hangs = true;
  const auto before = std::chrono::steady_clock::now();
  const auto s = samples_of(n.text());
  const auto took = std::chrono::steady_clock::now() - before;
  n.store_hangs = false;
  CHECK(took < std::chrono::seconds{20}); // and not for ever
  CHECK(s.at("steadfast_silent_parts{kind=\"reader\"}") == 1);
  CHECK(s.at("steadfast_silent_parts{kind=\"scheduler\"}") == 0);
  CHECK_FALSE(s.contains("steadfast_tasks{state=\"processed\"}"));
  CHECK(s.at("steadfast_tasks_ended_total{workflow=\"trip\",state=\"processed\"}") == 2);
  CHECK(s.at("steadfast_call_retries_total{agent=\"hotel\"}") == 2);
}

TEST_CASE("that the store does not answer is known within a bounded time") {
  measured_node n;
  const node_inside inside{n.running};
  CHECK(store_trouble(inside.system(), inside.parts()).empty());
  n.store_hangs = true;
  const auto before = std::chrono::steady_clock::now();
  const auto why = store_trouble(inside.system(), inside.parts());
  const auto took = std::chrono::steady_clock::now() - before;
  n.store_hangs = false;
  CHECK_THAT(why, Contains("has not answered for a second"));
  CHECK(took < std::chrono::seconds{15}); // a question of the control channel waits for twenty
  CHECK(tests::comes_true([&] { return store_trouble(inside.system(), inside.parts()).empty(); }));
}

TEST_CASE("a second submission of a task, and one without a workflow, are told apart") {
  measured_node n;
  n.work();
  n.submit("smooth");
  CHECK_THROWS(n.methods.at("submit")({{"id", "x"}, {"workflow", "none"}}));
  const auto s = samples_of(n.text());
  CHECK(s.at("steadfast_submissions_total{outcome=\"created\"}") == 3);
  CHECK(s.at("steadfast_submissions_total{outcome=\"already_there\"}") == 1);
  CHECK(s.at("steadfast_submissions_total{outcome=\"refused\"}") == 1);
}

TEST_CASE("a label's text cannot end the label") {
  page_writer page;
  page.add("steadfast_nodes", 1, {"a\"b\\c\nd"});
  CHECK_THAT(page.text(), Contains("\nsteadfast_nodes{state=\"a\\\"b\\\\c\\nd\"} 1\n"));
}

TEST_CASE("a label has so many texts, and the rest is added up") {
  page_writer page;
  const auto many = page_writer::values_max + 50;
  for (std::size_t i = 0; i < many; ++i) {
    page.add("steadfast_call_retries_total", 2, {"agent-" + std::to_string(i)});
    page.add("steadfast_circuit", 1, {"agent-" + std::to_string(i), "closed"});
  }
  const auto s = samples_of(page.text());
  CHECK(s.at("steadfast_call_retries_total{agent=\"agent-0\"}") == 2);
  CHECK(s.at("steadfast_call_retries_total{agent=\"other\"}") == 100);
  CHECK(s.at("steadfast_circuit{agent=\"other\",state=\"closed\"}") == 50);
  CHECK(s.size() == 2 * (page_writer::values_max + 1));
}

TEST_CASE("histograms of the same labels are added up, and their buckets are sums") {
  constexpr std::array<std::int64_t, 2> ends{1'000'000, 2'000'000};
  actors::histogram a{ends};
  a.count(500'000);
  a.count(1'500'000);
  page_writer page;
  page.add("steadfast_sync_seconds", a.read(), 1e-6);
  page.add("steadfast_sync_seconds", a.read(), 1e-6);
  const auto s = samples_of(page.text());
  CHECK(s.at("steadfast_sync_seconds_bucket{le=\"1\"}") == 2);
  CHECK(s.at("steadfast_sync_seconds_bucket{le=\"2\"}") == 4);
  CHECK(s.at("steadfast_sync_seconds_bucket{le=\"+Inf\"}") == 4);
  CHECK(s.at("steadfast_sync_seconds_count") == 4);
  CHECK(s.at("steadfast_sync_seconds_sum") == Approx(4.0));
}

TEST_CASE("docs/metrics.md lists the metrics of the page, with kind, labels and meaning") {
  const auto rows = rows_of_document();
  for (const auto& m : metric_catalog()) {
    INFO(m.name);
    const auto found = rows.find(std::string{m.name});
    REQUIRE(found != rows.end());
    CHECK(found->second.kind == to_string(m.is));
    CHECK(found->second.labels == std::vector<std::string>(m.labels.begin(), m.labels.end()));
    CHECK(found->second.meaning == m.meaning);
  }
  CHECK(rows.size() == metric_catalog().size());

  measured_node n;
  n.work();
  const auto text = n.text();
  for (const auto& [name, row] : rows)
    CHECK_THAT(text, Contains("# TYPE " + name + " " + row.kind + "\n"));
  for (const auto& [sample, value] : samples_of(text)) {
    INFO(sample);
    auto name = sample.substr(0, sample.find('{'));
    if (!rows.contains(name))
      name = std::regex_replace(name, std::regex{"_(bucket|sum|count)$"}, "");
    REQUIRE(rows.contains(name));
    auto labels = label_names_in(sample);
    labels.erase("le");
    CHECK(labels == std::set<std::string>(rows.at(name).labels.begin(), rows.at(name).labels.end()));
  }
}

TEST_CASE("the alerts and the dashboard ask for metrics that there are") {
  std::set<std::string> known;
  for (const auto& m : metric_catalog()) {
    known.insert(std::string{m.name});
    if (m.is == metric_kind::histogram)
      for (const auto* part : {"_bucket", "_sum", "_count"})
        known.insert(std::string{m.name} + part);
  }
  const std::regex name{R"(\b(steadfast|process)_[a-z_]+)"};
  for (const auto* file : {"/config/prometheus/steadfast.rules.yml", "/config/grafana/steadfast.json"}) {
    std::ifstream in{std::string{STEADFAST_SOURCE_DIR} + file};
    const std::string text{std::istreambuf_iterator<char>{in}, {}};
    std::size_t found = 0;
    for (std::sregex_iterator i{text.begin(), text.end(), name}, end; i != end; ++i, ++found) {
      INFO(file << ": " << i->str());
      CHECK(known.contains(i->str()));
    }
    CHECK(found > 10);
  }
}

TEST_CASE("promtool finds nothing wrong with the page of a node that works") {
  if (tests::run_program("/usr/bin/env", {"promtool", "--version"}).code != 0)
    return tests::skip("promtool, of Debian's package prometheus, is not installed");
  measured_node n;
  n.work();
  const auto end = tests::run_program("/usr/bin/env", {"promtool", "check", "metrics"}, n.text());
  INFO(end.out << end.err);
  CHECK(end.code == 0);
  CHECK(end.out.empty());
  CHECK(end.err.empty());
}
