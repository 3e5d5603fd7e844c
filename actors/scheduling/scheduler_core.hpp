#pragma once

#include "actors/common/due_queue.hpp"
#include "actors/common/known_definitions.hpp"
#include "actors/common/options.hpp"
#include "actors/protocol/messages.hpp"
#include "actors/scheduling/agent_directory.hpp"
#include "actors/scheduling/place_book.hpp"
#include "actors/scheduling/task_in_flight.hpp"
#include "workflow/task/clock_reading.hpp"
#include "workflow/transition/command.hpp"
#include "workflow/transition/event.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace steadfast::actors {

/// What the core has done by others.
class scheduler_effects {
public:
  virtual workflow::clock_reading time() const = 0;
  /// Always answered by on_written. `decided_by`: time and clock of the decision, where they matter.
  virtual void write(std::uint64_t ticket, const boxed<store::write>& what,
                     const workflow::clock_reading& decided_by) = 0;
  /// Answered by on_read or on_unread.
  virtual void read(std::uint64_t task) = 0;
  virtual void order(const agent_actor& to, step_order what) = 0;
  /// Does not overtake an order.
  virtual void stop(const agent_actor& to, const stop_order& what) = 0;
  virtual void log(const std::string& event, const workflow::task& t, const std::string& detail) const = 0;

protected:
  ~scheduler_effects() = default;
};

/// The decisions of a scheduler: when it takes work, and what becomes of the tasks that it has locked. Whatever happens
/// becomes an event; workflow::apply says what follows; the store makes it durable; only then are the commands carried
/// out. While a task's change is on its way to disk, its further events wait. The owner calls on_tick at next_due().
class scheduler_core {
public:
  /// When to look again at a task that only waits for others: the news about it may have been lost.
  static constexpr workflow::span look_again{15'000};

  scheduler_core(scheduler_options o, scheduler_effects& effects) : options_{std::move(o)}, effects_{effects} {}

  /// The node's own lease. Tasks that it has locked but does not know, from an earlier life or because an answer was
  /// lost, become claimable again; only then does it take work. Epoch 0: the lease is not held, and nothing is taken.
  void on_lease(const store::lease_guard& lease);
  void on_agents(const agents_alive& m) { agents_.learn(m); }
  void on_report(attempt_report m);
  void on_written(const write_done& m, workflow::instant clock);
  void on_news(const store_news& m);
  void on_read(std::uint64_t task, const task_view& m);
  void on_unread(std::uint64_t task) { read_later(task, options_.retry_full); }
  void on_tick();
  workflow::instant next_due() const;

  /// From now on nothing is taken or begun. Attempts under way may end until the limit has passed; all other tasks are
  /// given back.
  void drain(workflow::span limit);
  bool is_drained() const { return draining_ && !claiming_ && tasks_.empty(); }
  const drained& outcome_of_drain() const { return drained_; }

  actor_state state(std::size_t listed_max) const;

  /// Lets go of every agent.
  void close() { agents_ = {}; }

private:
  // Answers to writes.
  static constexpr std::uint64_t claim_ticket = 1;
  static constexpr std::uint64_t free_ticket = 2;
  static constexpr std::uint64_t evidence_ticket = 3;
  static constexpr std::uint64_t first_task_ticket = 16; ///< above: this plus the number of a task

  // Taking work
  void free_unknown_locks();
  void claim();
  void claim_later(workflow::span wait);
  void on_freed(const store::outcome& o);
  void on_claimed(const write_done& m, workflow::instant clock);
  void begin(const workflow::task& t, workflow::instant clock);
  void know(task_in_flight& e, const workflow::task& t, workflow::instant clock) const;

  // Stopping
  void give_back(bool (*is_meant)(const workflow::task&));

  // What becomes of a task: scheduler_core_progress.cpp
  void handle(std::uint64_t number, workflow::event what);
  void go_on(std::uint64_t number);
  void commit(task_in_flight& e, workflow::change&& change, const workflow::clock_reading& clock);
  void note_refusal(const task_in_flight& e, const workflow::event& what, const workflow::change& change);
  void on_stored(std::uint64_t number, const write_done& m);
  void decide_again(std::uint64_t number, workflow::event cause, const write_done& m);
  void forget(std::uint64_t number, bool ended);
  void read_again(std::uint64_t number, task_in_flight& e);
  void read_later(std::uint64_t number, workflow::span wait);
  void stop_unwanted(const task_in_flight& e, const workflow::task* stored, bool mine);
  void carry_out(task_in_flight& e, const std::vector<workflow::command>& commands);
  void send_order(task_in_flight& e, std::size_t step);
  void stop(const workflow::task& t, std::size_t step);
  void look_again_later(std::uint64_t number);
  void arm(const workflow::command& c, std::uint64_t number);
  void on_due(const due_queue::entry& d);
  void on_look(std::uint64_t number);
  void go_on_with_full();

  void write(std::uint64_t ticket, store::write what);
  workflow::instant now() const { return effects_.time().now; }
  std::vector<const task_in_flight*> oldest_tasks() const;

  scheduler_options options_;
  scheduler_effects& effects_;
  store::lease_guard lease_;
  agent_directory agents_;
  std::unordered_map<std::uint64_t, task_in_flight> tasks_; ///< by number
  place_book places_;
  known_definitions definitions_;
  due_queue due_;
  due_queue looks_; ///< when to look at tasks that only wait for others; one for each task
  struct {
    std::uint64_t claimed = 0;
    std::uint64_t dispatched = 0;
    std::uint64_t late = 0;
  } counts_;
  bool ready_ = false;                           ///< it knows all tasks that it has locked
  bool work_ = false;                            ///< the store may have something to claim
  bool claiming_ = false;                        ///< a claim is on its way
  std::size_t asked_for_ = 0;                    ///< how many tasks the last claim asked for
  workflow::instant claim_at_ = workflow::never; ///< when a waiting task becomes claimable
  std::vector<std::uint64_t> full_;              ///< tasks whose change could not be stored, or that could not be read
  workflow::instant full_until_ = workflow::never;
  bool draining_ = false;
  workflow::instant drain_until_ = workflow::never;
  drained drained_;
};

} // namespace steadfast::actors
