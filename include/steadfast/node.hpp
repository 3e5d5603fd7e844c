#pragma once

#include "steadfast/agent.hpp"
#include "steadfast/client.hpp"
#include "steadfast/node_error.hpp"
#include "steadfast/workflow.hpp"

#include <nlohmann/json_fwd.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace steadfast {

/// The settings of a node inside a program that reads no file. Times are in milliseconds.
struct node_settings {
  std::string name = "node";                       ///< unique in a cluster
  std::filesystem::path store = "steadfast-store"; ///< folder, made with mode 0700; one node at a time has it open
  std::filesystem::path socket;                    ///< for `steadfast task list` and the like; empty: none is opened
  std::uint32_t in_flight_max = 1024;              ///< tasks of one workflow in flight; the rest wait in the store
  std::uint32_t threads = 0;                       ///< of the actors; 0: one per core, at least 2
  std::chrono::milliseconds drain_limit{10'000};   ///< in stop(), for attempts under way
  std::string log_level = "warning";               ///< trace, debug, info, warning, error, off
  std::filesystem::path log_file;                  ///< empty: standard error
};

/// One node of Steadfast inside your program: store, scheduler, supervisor and agents, with threads of its own.
///
///     steadfast::node node{{.name = "travel", .store = "/var/lib/travel"}};
///     node.add_workflow(book_trip());
///     node.add_agent("book_hotel", steadfast::blocking_function{book_hotel});
///     node.start();
///     auto task = node.submit("book_trip", R"({"to": "Lisbon"})", {.id = "trip-1"}); // durable when it returns
///     auto state = node.wait(task.id, std::chrono::seconds{30});                     // "processed", "undone", "error"
///
/// One thread calls the members that prepare, start and stop the node. Any number of threads may call those for a
/// running node, between start() and stop().
class node {
public:
  /// Nothing is opened or checked before start().
  explicit node(node_settings settings);
  /// As `steadfast serve -c FILE` reads it: cluster, HTTP agents, everything. Throws node_error with every mistake.
  static node from_config(const std::filesystem::path& file);
  /// Stops it as stop() does, if it runs.
  ~node();
  /// A node that was moved from can only be assigned to or destroyed.
  node(node&&) noexcept;
  node& operator=(node&&) noexcept;

  // Before start(); afterwards they throw node_error. start() reports mistakes in their arguments.

  /// `name` is the name that workflows use.
  void add_agent(const std::string& name, agent_function run, const agent_options& options = {});
  /// Kept for ever under its version: raise the version with each change.
  void add_workflow(const workflow_builder& w);
  /// Called once, from a thread of the node, when the store fails for good; it should end the process. By default the
  /// process ends with exit code 74.
  void on_fatal(std::function<void(const std::string& why)> handler);

  /// Opens the store and starts every part; tasks under way continue. Throws node_error; call it again once the cause
  /// is removed. It may also be called again after stop().
  void start();

  /// Takes nothing new, lets attempts under way finish for the drain limit, asks the rest to end, and closes the store.
  /// Waits for quick functions that have begun and async ones that have not returned, which the log names. Then it
  /// waits for blocking functions that have not returned, until the complete-by of their calls, and at least for a
  /// second. Returns, and logs, the agents whose functions still run; empty: none does. The answers of such functions
  /// are ignored, and they touch nothing of the node: only what they use themselves must outlive them. It also waits
  /// for every actor of the system: tell yours to quit, and let no caf::scoped_actor live on. Any thread may call it;
  /// one that used CAF itself and lives on must first release CAF's logger (docs/cpp.md). Does nothing on a node that
  /// does not run.
  std::vector<std::string> stop();
  /// The same, but waits for blocking functions no longer than `function_limit`; 0: not at all.
  std::vector<std::string> stop(std::chrono::milliseconds function_limit);

  // While the node runs. Errors are thrown as client_error, as by `client`. Numbers are those of the JSON library:
  // `1.10` is 1.1, and a number too large for a double is a string. Agents get and give texts with every digit.

  /// Durable when it returns. `payload` is a JSON text.
  submitted submit(const std::string& workflow, const std::string& payload, const submit_options& options = {});
  /// Blocks until the task has ended or the limit has passed; returns its process_state.
  std::string wait(const std::string& id, std::chrono::milliseconds limit);
  /// The whole task, in the shape of `task show --json`.
  nlohmann::json show(const std::string& id);
  /// The result of a processed task, as its workflow defines it; null before, and if the workflow defines none.
  nlohmann::json result(const std::string& id);

  // The same as in `client`: client.hpp says more.
  void complete_step(const std::string& token, const std::string& result = "null");
  void fail_step(const std::string& token, const step_failure& how);
  void extend_step(const std::string& token, const std::string& progress = {}, std::chrono::milliseconds length = {});
  std::uint64_t send_event(const std::string& name, const std::string& key, const std::string& data = "null",
                           const std::string& who = "a program", const std::string& id = {});
  /// Stores the schedule, in place of the one of its name. Durable when it returns. False: it was the same before, so a
  /// program may put its schedules at each start.
  bool put_schedule(const schedule& s, const std::string& who = "a program", const std::string& why = {});
  /// Any method of the control channel (docs/control-channel.md).
  nlohmann::json call(const std::string& method, const nlohmann::json& params);

private:
  friend class node_access; ///< of steadfast/actors.hpp
  class implementation;
  explicit node(std::unique_ptr<implementation> impl);
  std::unique_ptr<implementation> impl_;
};

} // namespace steadfast
