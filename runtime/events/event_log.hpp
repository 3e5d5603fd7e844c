#pragma once

#include "runtime/events/event_position.hpp"
#include "runtime/events/task_watch.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace steadfast::runtime {

/// What was seen of a task, as server-sent event.
struct task_event {
  std::string kind; ///< "submitted", "changed", "ended"; or "gap", which is about no task
  std::string workflow;
  std::string text; ///< all of it
  std::uint64_t number = 0;
  std::uint64_t revision = 0;
};
using task_events = std::vector<std::shared_ptr<const task_event>>;

/// The newest events of all tasks, in memory, and what the store can tell of those before. It reads the tasks that have
/// changed once for all who follow, and nothing while nobody does. For any thread.
class event_log : public std::enable_shared_from_this<event_log> {
public:
  event_log(watch_parts p, std::function<workflow::instant()> clock);

  /// Where it is. It is written from now on, until some minutes after the last who follows has gone. Blocks. Throws
  /// api::error if the store cannot be asked.
  event_position begin();

  struct read_result {
    task_events events;
    event_position reached;
    bool is_lost = false; ///< it has them no more
  };
  /// Those after a position; not many at once, and none once all were read.
  read_result read_after(const event_position& p) const;

  struct scan_result {
    task_events events;   ///< first of all a gap
    event_position after; ///< the next event is the one after it
  };
  /// What the store tells of tasks that have changed since: each once, as it is now. Reads all unfinished tasks, and
  /// those that have ended since; blocks meanwhile. Nothing: another one is under way. Throws api::error.
  std::optional<scan_result> scan_after(const event_position& p);

  /// `wake` is called, from any thread, when it has more.
  change_hub::listening follow(std::function<void()> wake);

  /// Nobody follows any more.
  void close();

private:
  using task = nlohmann::json; ///< a summary, as `task.list` gives it

  void take(const task_changes& c);
  void run_soon();
  void run();
  void write_changed();
  void let_go_unless_followed(std::uint64_t begun);
  nlohmann::json call(const char* method, const nlohmann::json& params) const;
  nlohmann::json stats() const;
  std::vector<task> read_tasks(const std::vector<std::uint64_t>& numbers) const;
  bool has_changed(const task& t, const event_position& since, const std::string& from) const;
  std::vector<task> read_changed(const event_position& since, bool& is_cut) const;
  void write(std::vector<task> tasks, event_position reached);
  void add(task_event e, event_position at);

  const watch_parts parts_;
  const std::function<workflow::instant()> clock_;
  const std::shared_ptr<change_hub> readers_ = std::make_shared<change_hub>();

  mutable std::mutex mutex_; ///< of all that follows; held for moments
  std::deque<std::shared_ptr<const task_event>> events_;
  std::size_t bytes_ = 0;
  event_position tip_;                                         ///< of the newest of them
  std::unordered_map<std::uint64_t, std::uint64_t> revisions_; ///< of the tasks in events_, by number
  change_hub::listening listening_;
  std::vector<std::uint64_t> changed_; ///< to be read
  bool has_hole_ = false;              ///< changes were not told
  bool may_lack_ = false;              ///< others may have changed as well
  bool is_queued_ = false;
  std::size_t followers_ = 0;
  std::uint64_t begun_ = 0; ///< how often it was

  std::mutex reading_; ///< one reads what has changed, or begins
  std::mutex scanning_;
};

} // namespace steadfast::runtime
