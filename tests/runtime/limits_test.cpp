// docs/limits.md says what the program does: each bound of the page is one of the sources, and each bound of the
// configuration and of workflows is on the page.

#include <catch2/catch.hpp>

#include <algorithm>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using Catch::Matchers::Contains;

namespace {

std::string content_of_source(const std::string& path) {
  std::stringstream text;
  text << std::ifstream{std::string{STEADFAST_SOURCE_DIR} + "/" + path}.rdbuf();
  return text.str();
}

struct bound {
  const char* row;    ///< how the row of the page begins: what and limit
  const char* source; ///< the file
  const char* code;   ///< and what stands there
};

const std::vector<bound> bounds{
  {"| names of workflows, steps, agents, nodes | 64 |", "workflow/text/name.hpp", "name_size_max = 64;"},
  {"| total length of a node's agent names, plus one byte each | 64,000 |", "workflow/supervision/node_card.hpp",
   "agent_names_max = 64'000;"},
  {"| steps of a workflow | 10,000 |", "workflow/definition/definition.hpp", "steps_max = 10'000;"},
  {"| members of an input or of a result | 256 |", "workflow/definition/definition.hpp", "input_members_max = 256;"},
  {"| comparisons of a step's `when`, `expect` or `until` | 64 |", "workflow/definition/definition.hpp",
   "condition_parts_max = 64;"},
  {"| conditions within conditions | 8 |", "workflow/definition/definition.hpp", "condition_depth_max = 8;"},
  {"| bytes of an event's key | 256 |", "workflow/definition/definition.hpp", "event_key_size_max = 256;"},
  {"| bytes of an event's id | 256 |", "workflow/definition/definition.hpp", "event_id_size_max = 256;"},
  {"| schedules of a store | 20,000 |", "workflow/schedule/schedule_state.hpp", "schedules_max = 20'000;"},
  {"| `every` of a schedule | at least 1 s |", "workflow/schedule/schedule.hpp", "every_min{1000};"},
  {"| `jitter` of a schedule | a day, and `every` |", "workflow/schedule/schedule.hpp",
   "jitter_max{std::chrono::hours{24}};"},
  {"| missed moments that are caught up on (`catch_up_max`) | 100 |", "workflow/schedule/schedule.hpp",
   "catch_up_limit = 100;"},
  {"| moments whose outcome a schedule keeps | 16 |", "workflow/schedule/schedule_state.hpp", "moment_notes_max = 16;"},
  {"| tasks of a workflow with one key at a time (`limit.at_a_time`) | 1000 |", "workflow/definition/definition.hpp",
   "at_a_time_max = 1000; "},
  {"| `per` of a limit | 1 s to ten years |", "workflow/definition/definition.hpp", "limit_per_min{1000};"},
  {"| bytes of the key of a limit | 256 |", "workflow/definition/definition.hpp", "event_key_size_max = 256;"},
  {"| choices of an answer | 32 |", "workflow/definition/definition.hpp", "choices_max = 32; "},
  {"| nesting of tasks that start tasks | 8 |", "workflow/children/child.hpp", "depth_max = 8;"},
  {"| tasks that one starts, directly or through others | 100,000 |", "workflow/children/child.hpp",
   "family_max = 100'000;"},
  {"| calls of a step that is repeated (`repeat.at_most`) | 10,000 |", "workflow/definition/definition.hpp",
   "repeats_max = 10'000;"},
  {"| items of a step (`for_each`) | 10,000 |", "workflow/definition/item_workflow.hpp", "items_max = 10'000;"},
  {"| bytes that the items of a step are given, together | 16,777,216 |", "workflow/children/fan_out.hpp",
   "items_size_max = 16'777'216;"},
  {"| bytes of the results of a step's items, together | as of one result |", "store/engine/family/write_items.cpp",
   "options->result_size_max);"},
  {"| tasks that retention removes in one write, with those that they started | 20,000, or one task with its own |",
   "store/verbs/tasks/decide_purge.cpp", "gone_max = 20'000;"},
  {"| items of a step under way (`at_a_time`) | 1000 |", "workflow/definition/definition.hpp", "at_a_time_max = 1000;"},
  {"| time for which an event is kept (`events.keep_for`) | seven days |", "store/contract/options.hpp",
   "events_keep_for = std::chrono::hours{24 * 7};"},
  {"| bytes of a pointer or a literal | 4096 |", "workflow/definition/definition.hpp", "text_size_max = 4096;"},
  {"| attempts of a round (`retry.attempts`) | 1000 |", "workflow/definition/definition.hpp",
   "attempts_of_a_round_max = 1000;"},
  {"| attempts of a step, over all rounds and cool-offs | 1000000 |", "workflow/definition/definition.hpp",
   "attempts_max = 1'000'000;"},
  {"| growth of waits (`retry.factor`) | 100 |", "workflow/definition/definition.hpp", "factor_percent_max = 10'000;"},
  {"| lengths of time | ten years |", "workflow/definition/definition.hpp",
   "span_max = std::chrono::hours{24 * 3653};"},
  {"| bytes of a workflow's or configuration's file | 4 MiB |", "runtime/toml/toml_file.cpp",
   "file_size_max = 4 << 20;"},
  {"| tasks that lose their scheduler without progress (`takeovers_max`) | 20 |", "workflow/definition/definition.hpp",
   "takeovers_max = 20;"},
  {"| bytes of an id, of an observer's name, of a content type | 128 |", "workflow/task/task.hpp",
   "task_id_size_max = 128;"},
  {"| bytes of a payload (`store.payload_size_max`) | 1 MiB |", "store/contract/options.hpp",
   "payload_size_max = 1 << 20;"},
  {"| bytes of a result (`store.result_size_max`) | 1 MiB |", "store/contract/options.hpp",
   "result_size_max = 1 << 20;"},
  {"| highest value of both of these options | 128 MiB |", "store/contract/options.cpp", "body_limit = 128 << 20;"},
  {"| nesting of JSON | 64 |", "workflow/text/json_text.hpp", "json_depth_max = 64;"},
  {"| time that a submission is put off (`--debounce`) | a day, and ten times that in all |", "workflow/task/task.hpp",
   "debounce_max = std::chrono::hours{24};"},
  {"| time that a submission is put off (`--debounce`) | a day, and ten times that in all |", "workflow/task/task.hpp",
   "debounces_max = 10;"},
  {"| priorities | 0 to 9 |", "workflow/priority.hpp", "priority_max = 9;"},
  {"| bytes of the progress of a step that ends later (`progress`) | 256 |", "workflow/step/step.hpp",
   "note_size_max = 256;"},
  {"| bytes of `who` and `why` | 256 |", "workflow/step/step.hpp", "note_size_max = 256;"},
  {"| sentences of `task explain` that begin alike | 20 |", "workflow/task/explain.hpp", "explained_alike_max = 20;"},
  {"| attempts kept in a step's story | 32 |", "workflow/step/step.hpp", "attempts_logged_max = 32;"},
  {"| acts of people kept in a story | 64 |", "workflow/task/task.hpp", "acts_max = 64;"},
  {"| late replies kept of a task | 32 |", "store/verbs/decide_note.hpp", "late_replies_max = 32;"},
  {"| bytes of a cause kept of an attempt | 1024 |", "workflow/task/task.hpp", "told_cause_size_max = 1024;"},
  {"| wait that a service may ask for (`Retry-After`) | 24 h |", "workflow/transition/event.hpp",
   "retry_after_max = std::chrono::hours{24};"},
  {"| calls at a time (`concurrency`) | 64, at most 100000 |", "actors/agents/agent_options.cpp",
   "concurrency_max = 100'000;"},
  {"| orders that wait (`queue`) | 1024, at most 1000000 |", "actors/agents/agent_options.cpp",
   "queue_max = 1'000'000;"},
  {"| bytes of inputs in flight (`inputs_size_max`) | 64 MiB |", "config/steadfast.toml",
   "inputs_size_max = \"64MiB\""},
  {"| calls begun in a second (`rate_per_second`, `burst`) | none, 10 |", "config/steadfast.toml", "#burst = 10"},
  {"| time of one call (`call_limit`) | none |", "config/steadfast.toml", "call_limit = \"0s\""},
  {"| tries inside an attempt (`retry.attempts`) | 3, at most 1000 |", "actors/agents/agent_options.cpp",
   "tries_max = 1000;"},
  {"| bytes of an answer (`result_size_max`) | 1 MiB |", "config/steadfast.toml", "#result_size_max = \"1MiB\""},
  {"| bytes of an HTTP answer's headers | 64 KiB |", "actors/agents/http/messages/http_reply.hpp",
   "headers_max = 64 << 10;"},
  {"| connections that an agent over HTTP keeps for its next calls | 256 |", "actors/agents/http/http_calls.hpp",
   "kept_max = 256;"},
  {"| time for which it keeps one without a call | 4 s |", "actors/agents/http/http_calls.hpp", "sweep_every{1000};"},
  {"| addresses of a name that it tries | 16 |", "actors/agents/http/connection/address_rules.hpp",
   "addresses_max = 16;"},
  {"| bytes of a program's output (`output_max`) | 1 MiB |", "config/steadfast.toml", "output_max = \"1MiB\""},
  {"| time to connect (`connect_limit`) | 3 s |", "config/steadfast.toml", "connect_limit = \"3s\""},
  {"| notifications of a webhook in memory | 256 |", "workflow/outward/delivery_queue.hpp", "window = 256;"},
  {"| notifications on their way to it (`concurrency`) | 4, at most 64 |", "runtime/configuration/webhook_options.cpp",
   "at_once_max = 64;"},
  {"| time of one delivery (`call_limit`) | 15 s |", "config/steadfast.toml", "call_limit = \"15s\""},
  {"| time until one is given up (`give_up_after`) | 72 h |", "config/steadfast.toml", "give_up_after = \"72h\""},
  {"| bytes of one text in a notification | 4096 |", "workflow/outward/notification.cpp", "told_text_max = 4096;"},
  {"| ended tasks whose spans wait to be sent (`tasks_max`) | 10000 |", "config/steadfast.toml", "tasks_max = 10000"},
  {"| time of the collector to take a request | 5 s |", "runtime/node/span_exporter.cpp", "request_limit{5000};"},
  {"| tasks in flight at a scheduler (`in_flight_max`) | 1024, at most 1000000 |", "config/steadfast.toml",
   "in_flight_max = 1024"},
  {"| submissions waiting for the disk (`backlog_max`) | 100000 |", "config/steadfast.toml", "backlog_max = 100000"},
  {"| open bulk acts (`bulk.open_max`) | 16, at most 100 |", "config/steadfast.toml", "open_max = 16"},
  {"| tasks that these change in a second (`bulk.rate`) | 1000, at most 100000 |", "config/steadfast.toml",
   "rate = 1000"},
  {"| submissions on their way to the store of another node | 1024 |", "actors/storing/store_link.cpp",
   "submissions_max = 1024;"},
  {"| bytes of a request | 4 MiB |", "runtime/control/control_server.hpp", "frame_max = 4 << 20;"},
  {"| connections; of one process | 256; 192 |", "runtime/control/control_server.hpp", "connections_max = 256;"},
  {"| connections; of one process | 256; 192 |", "runtime/control/control_server.hpp",
   "connections_of_process_max = 192;"},
  {"| bytes of unfinished requests | 32 MiB |", "runtime/control/control_server.hpp",
   "32 << 20; ///< bytes of requests that have not come to their end"},
  {"| bytes of a socket's path | 107 |", "client/client.cpp", "path_max = 107;"},
  {"| wait for an answer of a node | 30 s |", "client/client.cpp", "answer_limit{30'000};"},
  {"| entries of a page (`max`) | 1 to 1000, default 100 |", "api/methods.cpp",
   "entries of a page\").between(1, 1000).otherwise(100)"},
  {"| tasks that are looked at for a page of `approvals list` or `task in-place` | 10,000 |",
   "runtime/control/control_finding.cpp", "looked_at_max = 10'000;"},
  {"| entries of each list of `actor show` | 1000 |", "api/methods_of_the_rest.cpp",
   "entries of each list\").between(1, 1000)"},
  {"| bytes of a payload's file or standard input | 64 MiB |", "apps/command_line/documents.cpp",
   "document_size_max = 64 << 20;"},
  {"| lines of the log that wait for a slow disk | 8192 |", "runtime/logging/log.cpp", "backlog_max = 8192;"},
  {"| bytes of the store's file (`store.size_max`) | 8 GiB |", "config/steadfast.toml", "size_max = \"8GiB\""},
  {"| of these kept for tasks that are accepted (`store.size_reserve`) | 64 MiB |", "config/steadfast.toml",
   "size_reserve = \"64MiB\""},
  {"| bytes that wait in the journal (`store.journal_max`) | 8 MiB |", "config/steadfast.toml",
   "journal_max = \"8MiB\""},
  {"| bytes of a lease's name | 255 |", "store/verbs/decide_lease.cpp", "lease_name_max = 255;"},
  {"| ended leases kept | 256 |", "store/verbs/decide_lease.hpp", "ended_leases_max = 256;"},
  {"| incidents kept | 1000 |", "store/contract/state_store.hpp", "incidents_kept = 1000;"},
  {"| acts kept with an incident | 32 |", "store/contract/state_store.hpp", "incident_acts_max = 32;"},
  {"| partitions (`store init --partitions`) | 1, at most 64 |", "store/postgres/schema.hpp",
   "partitions_default = 1;"},
  {"| partitions (`store init --partitions`) | 1, at most 64 |", "workflow/task/partition.hpp", "partitions_max = 64;"},
  {"| partitions of a store in files (`store.partitions`) | 1, at most 64 |", "workflow/task/partition.hpp",
   "partitions_max = 64;"},
  {"| bytes that one commit of a partition writes to its log | 64 MiB |", "store/postgres/partition.hpp",
   "append_bytes_max = std::size_t{64} << 20U;"},
  {"| bytes of the name of a schema (`--schema`) | 30 |", "store/postgres/place.cpp", "schema_name_max = 30;"},
  {"| silence of a connection | 10 s |", "runtime/links/network.cpp", "silence_max{10};"},
  {"| unidentified connections; from one address | 128; 16 |", "runtime/links/door.hpp", "handshakes_max = 128;"},
  {"| unidentified connections; from one address | 128; 16 |", "runtime/links/door.hpp",
   "handshakes_of_address_max = 16;"},
  {"| connections made by other nodes | 1024 |", "runtime/links/door.hpp", "links_max = 1024;"},
  {"| time for a handshake | 5 s |", "runtime/links/handshake.cpp", "handshake_limit{5};"},
  {"| connections (`http.connections_max`), those with events included | 1024 |", "config/steadfast.toml",
   "connections_max = 1024"},
  {"| clients over TLS that get this 503, at a time; in a second | 16; 50 |", "runtime/http/http_server.cpp",
   "turned_away_max = 16;"},
  {"| clients over TLS that get this 503, at a time; in a second | 16; 50 |", "runtime/http/http_server.cpp",
   "turned_away_a_second = 50.0;"},
  {"| time for the TLS handshake, to send a request or to take an answer while all connections are in use | 1 s |",
   "runtime/http/giving_way.cpp", "waited_enough{1000};"},
  {"| bytes of a body (`http.body_size_max`) | 4 MiB |", "config/steadfast.toml", "body_size_max = \"4MiB\""},
  {"| bytes of a body that are read before the caller is authenticated | 16 KiB |", "runtime/http/http_session.cpp",
   "of_strangers_max = 16 << 10;"},
  {"| bytes of a header | 16 KiB |", "runtime/http/http_session.cpp", "header_max = 16 << 10;"},
  {"| bytes of bodies being received, over all connections | 64 MiB |", "runtime/http/http_session.cpp",
   "unfinished_max = 64 << 20;"},
  {"| nesting of JSON in a body | 64 |", "workflow/text/json_text.hpp", "json_depth_max = 64;"},
  {"| submissions of a batch | 1000 |", "runtime/http/http_submissions.cpp", "batch_max = 1000;"},
  {"| submissions under way, over all connections | 4096 |", "runtime/http/http_submissions.cpp",
   "under_way_max = 4096;"},
  {"| time to send a request | 20 s |", "runtime/configuration/http_server_options.hpp", "request_limit{20'000};"},
  {"| time without a request | 75 s |", "runtime/http/http_session.cpp", "idle_limit{75};"},
  {"| time for the TLS handshake | 5 s |", "runtime/http/http_session.cpp", "tls_limit{5};"},
  {"| time for a client to take an answer or an event | 30 s |", "runtime/configuration/http_server_options.hpp",
   "write_limit{30'000};"},
  {"| time to wait for an outcome (`wait`) | 60 s |", "runtime/http/messages/http_parameters.cpp", "wait_max{60'000};"},
  {"| requests of one caller in a second (`http.rate_max`); of one address, those whose authentication failed | none |",
   "config/steadfast.toml", "rate_max = 0"},
  {"| addresses whose failed authentication is counted apart | 1000 |", "runtime/http/http_callers.cpp",
   "peers_max = 1000;"},
  {"| time for attempts under way at a stop (`shutdown.drain_limit`) | 10 s |", "config/steadfast.toml",
   "drain_limit = \"10s\""},
  {"| time for others to receive messages at a stop | 2 s |", "runtime/node/node.cpp", "farewell_limit{2000};"},
};

/// All that the pattern's group finds.
std::set<std::string> found_in(const std::string& text, const std::string& pattern) {
  const std::regex wanted{pattern};
  std::set<std::string> all;
  for (std::sregex_iterator i{text.begin(), text.end(), wanted}, end; i != end; ++i)
    all.insert((*i)[1]);
  return all;
}

} // namespace

TEST_CASE("each limit of the page is what the sources say") {
  const auto page = content_of_source("docs/limits.md");
  for (const auto& b : bounds) {
    CHECK_THAT(page, Contains(b.row));
    INFO(b.source);
    CHECK_THAT(content_of_source(b.source), Contains(b.code));
  }
}

TEST_CASE("each row of the page is compared with the sources, and each bound of workflows and options is on it") {
  const auto page = content_of_source("docs/limits.md");
  std::size_t rows = 0;
  std::istringstream lines{page};
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| ") || line.starts_with("| what") || line.starts_with("| ended tasks ("))
      continue;
    INFO(line);
    CHECK(std::any_of(bounds.begin(), bounds.end(), [&](const bound& b) { return line.starts_with(b.row); }));
    ++rows;
  }
  CHECK(rows > 50);

  for (const auto& option : found_in(content_of_source("config/steadfast.toml"),
                                     "\n#?([a-z_]+_(?:max|limit|reserve)|concurrency|queue) = ")) {
    INFO(option);
    CHECK(page.find(option + "`") != std::string::npos);
  }
  for (const auto* header : {"workflow/definition/definition.hpp", "workflow/step/step.hpp", "workflow/task/task.hpp"})
    for (const auto& name : found_in(content_of_source(header), "inline constexpr [a-z_:0-9]+ ([a-z_]+_max) = ")) {
      INFO(name);
      CHECK(std::any_of(bounds.begin(), bounds.end(),
                        [&](const bound& b) { return std::string{b.code}.starts_with(name); }));
    }
}
