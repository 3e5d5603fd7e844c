#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace steadfast::apps {

/// What the command line asks for; returns an exit code.
using command = std::function<int()>;

// One function per subcommand: adds its options and its help to `to`, and sets `chosen` when it is the one that was
// typed.
void add_serve(CLI::App& to, command& chosen);
void add_bench(CLI::App& to, command& chosen);
void add_actor(CLI::App& to, command& chosen);
void add_agent(CLI::App& to, command& chosen);
void add_circuit(CLI::App& to, command& chosen);
void add_webhook(CLI::App& to, command& chosen);
void add_step(CLI::App& to, command& chosen);
void add_event(CLI::App& to, command& chosen);
void add_approvals(CLI::App& to, command& chosen);
void add_schedule(CLI::App& to, command& chosen);
void add_console(CLI::App& to, command& chosen);
void add_submit(CLI::App& to, command& chosen);
void add_task(CLI::App& to, command& chosen);
void add_status(CLI::App& to, command& chosen);
void add_incidents(CLI::App& to, command& chosen);
void add_alerts(CLI::App& to, command& chosen);
void add_bulk(CLI::App& to, command& chosen);
void add_late(CLI::App& to, command& chosen);
void add_workflow(CLI::App& to, command& chosen);
void add_lease(CLI::App& to, command& chosen);
void add_node(CLI::App& to, command& chosen);
void add_simulate(CLI::App& to, command& chosen);
void add_store(CLI::App& to, command& chosen);
void add_cluster(CLI::App& to, command& chosen);
void add_token(CLI::App& to, command& chosen);
void add_top(CLI::App& to, command& chosen);
void add_watch(CLI::App& to, command& chosen);
void add_completion(CLI::App& to, command& chosen);
void add_manual(CLI::App& to, command& chosen);

// Of `steadfast task`.
void add_task_list(CLI::App& to, command& chosen);
void add_task_show(CLI::App& to, command& chosen);
void add_task_explain(CLI::App& to, command& chosen);
void add_task_follow(CLI::App& to, command& chosen);
void add_task_stuck(CLI::App& to, command& chosen);
void add_task_in_place(CLI::App& to, command& chosen);
void add_task_acts(CLI::App& to, command& chosen);
void add_task_edit(CLI::App& to, command& chosen);

// Of `steadfast store`, about one on a server.
void add_store_servers(CLI::App& to, command& chosen);

} // namespace steadfast::apps
