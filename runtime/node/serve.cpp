#include "runtime/node/serve.hpp"

#include "runtime/logging/log.hpp"
#include "runtime/node/node.hpp"
#include "runtime/text/quantity.hpp"

#include <sys/resource.h>
#include <sys/stat.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <thread>
#include <utility>

namespace steadfast {
namespace {

constexpr workflow::span stop_margin{10'000}; ///< beyond the drain limit, for commits and closing the store
constexpr int exit_stuck = 70;                // EX_SOFTWARE

/// Blocked in every thread that starts later, so that only those who wait for them get them.
sigset_t block_end_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int s : {SIGTERM, SIGINT, SIGHUP})
    sigaddset(&signals, s);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

std::string name_of(int signal) {
  return signal == SIGTERM ? "SIGTERM" : signal == SIGINT ? "SIGINT" : "SIGHUP";
}

// The secrets of the configuration are in this process's memory.
void leave_no_core_file() {
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
}

/// The signal that ends the node. On SIGHUP a node with certificates rereads them.
int wait_for_the_end(const sigset_t& signals, const node_options& options, assembled_node& n) {
  for (;;) {
    int signal = 0;
    sigwait(&signals, &signal);
    if (signal != SIGHUP || !(options.cluster.has_certificates() || options.http.has_certificate()))
      return signal;
    n.reload_certificates();
  }
}

/// True: a signal to end came meanwhile.
bool has_ended_waiting(const sigset_t& signals, std::chrono::milliseconds time) {
  const timespec wait{time.count() / 1000, (time.count() % 1000) * 1'000'000};
  const int signal = sigtimedwait(&signals, nullptr, &wait);
  return signal == SIGTERM || signal == SIGINT;
}

/// `holder`: another node that has a store on a server; empty: this one has it.
std::string where_store_is(const node_options& o, const std::string& holder) {
  if (o.store_server.is_used())
    return "store on PostgreSQL, schema " + o.store_server.schema
           + (holder.empty() ? "" : ", which " + holder + " has");
  return o.roles.store ? "store " + o.store.path.string() : "joining " + o.cluster.join;
}

/// Until `has_stopped`, ends the process if the stop takes too long or somebody insists; `n` must exist until then.
void watch_the_stop(sigset_t signals, workflow::span limit, const assembled_node& n,
                    std::shared_ptr<const std::atomic<bool>> has_stopped) {
  std::thread{[signals, limit, &n, has_stopped = std::move(has_stopped)] {
    const timespec wait{limit.count() / 1000, (limit.count() % 1000) * 1'000'000};
    const int signal = sigtimedwait(&signals, nullptr, &wait);
    if (*has_stopped)
      return; // the log may be gone already
    if (signal > 0) {
      log_line("error", name_of(signal) + " again: ending at once; what is in flight continues after the next start");
      std::_Exit(128 + signal);
    }
    log_line("error", "the node did not stop within " + runtime::span_text(limit) + ", for it waits for "
                        + std::string{n.stop_waits_for()}
                        + ": ending at once; what is in flight continues after the next start");
    std::_Exit(exit_stuck);
  }}.detach();
}

} // namespace

void serve(const node_options& options, const std::function<void()>& when_ready) {
  const auto signals = block_end_signals();
  leave_no_core_file();
  umask(0077);
  assembled_node n{options};
  n.wait_for_turn([&, told = std::string{}](std::chrono::milliseconds time, const store::no_turn& t) mutable {
    if (told != t.why)
      log_line("info", "node " + options.name + " waits for its turn: " + t.why);
    told = t.why;
    return !has_ended_waiting(signals, time);
  });
  if (!n.start())
    return log_line("info", "node " + options.name + " has stopped");
  log_line("info", "node " + options.name + " is ready; " + where_store_is(options, n.holder_of_store()) + ", socket "
                     + (options.socket.empty() ? "none" : options.socket.string()));
  when_ready();
  const int signal = wait_for_the_end(signals, options, n);
  log_line("info", name_of(signal) + ": stopping; attempts under way have " + runtime::span_text(options.drain_limit)
                     + " to end");
  const auto has_stopped = std::make_shared<std::atomic<bool>>(false);
  watch_the_stop(signals, options.drain_limit + stop_margin, n, has_stopped);
  n.stop();
  *has_stopped = true;
  log_line("info", "node " + options.name + " has stopped");
}

} // namespace steadfast
