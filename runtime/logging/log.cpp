#include "runtime/logging/log.hpp"

#include "actors/agents/call_threads.hpp"
#include "runtime/logging/log_file.hpp"
#include "runtime/text/steering_text.hpp"
#include "runtime/text/time_text.hpp"
#include "steadfast/node_error.hpp"
#include "workflow/outward/trace.hpp"

#include <nlohmann/json.hpp>
#include <spdlog/async.h>
#include <spdlog/async_logger.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace steadfast {
namespace {

using nlohmann::json;

// Lines waiting for a slow disk or terminal. The node never waits for its log: the oldest are dropped.
constexpr std::size_t backlog_max = 8192;

using fields = std::vector<std::pair<std::string, std::string>>;

struct named_level {
  const char* name;
  spdlog::level::level_enum value;
};
constexpr std::array<named_level, 6> levels{{{"trace", spdlog::level::trace},
                                             {"debug", spdlog::level::debug},
                                             {"info", spdlog::level::info},
                                             {"warning", spdlog::level::warn},
                                             {"error", spdlog::level::err},
                                             {"off", spdlog::level::off}}};

spdlog::level::level_enum level_of(const std::string& name) {
  const auto found = std::find_if(levels.begin(), levels.end(), [&](const named_level& l) { return name == l.name; });
  return found == levels.end() ? spdlog::level::info : found->value;
}

/// Lines that could not be written, of all logs of the process.
std::atomic<std::size_t> unwritten = 0;

/// Appends each line in one piece. Lines that a full disk does not take are lost: it must not stop the node. When there
/// is room again the log says how many they were.
class file_sink : public spdlog::sinks::base_sink<std::mutex> {
public:
  using told_loss = std::function<std::string(std::size_t lines, const std::string& why)>;

  file_sink(actors::descriptor file, told_loss tell) : file_{std::move(file)}, tell_{std::move(tell)} {}

protected:
  void sink_it_(const spdlog::details::log_msg& m) override {
    spdlog::memory_buf_t line;
    formatter_->format(m, line);
    if (!tells_loss() || !append({line.data(), line.size()})) {
      ++lost_;
      ++unwritten;
    }
  }
  void flush_() override {}

private:
  /// False: there is still no room.
  bool tells_loss() {
    if (lost_ == 0)
      return true;
    if (!append((is_cut_ ? "\n" : "") + tell_(lost_, std::strerror(error_)) + "\n"))
      return false;
    lost_ = 0;
    return true;
  }

  bool append(std::string_view left) {
    while (!left.empty()) {
      const auto n = ::write(file_.get(), left.data(), left.size());
      if (n < 0 && errno != EINTR) {
        error_ = errno;
        return false;
      }
      left.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
      is_cut_ = !left.empty() && (is_cut_ || n > 0);
    }
    return true;
  }

  actors::descriptor file_;
  told_loss tell_;
  std::size_t lost_ = 0; ///< since the last line that was written
  int error_ = 0;
  bool is_cut_ = false; ///< the file ends within a line
};

/// The process's log: lines go to a thread of their own, errors are written at once, as the process may end after one.
class process_log {
public:
  process_log() { use(std::make_shared<spdlog::sinks::stderr_sink_mt>(), spdlog::level::warn); }

  void start(const log_options& o) {
    const auto sink = sink_for(o);
    auto pool = std::make_shared<spdlog::details::thread_pool>(backlog_max, 1, actors::block_signals);
    std::shared_ptr<spdlog::details::thread_pool> before; // ends, with what it has to write, after the lock
    const std::lock_guard lock{mutex_};
    before = std::exchange(pool_, std::move(pool));
    json_ = o.json;
    traces_ = o.traces;
    use(sink, level_of(o.level));
  }

  void write(const std::string& level, const std::string& event, const fields& more, const std::string& detail) {
    const auto l = level_of(level);
    const auto [to, as_json] = writer_for(l);
    if (to->should_log(l))
      to->log(l, line(as_json, level, event, more, detail));
  }

  void write(const log_entry& e) {
    const auto l = level_of(e.level);
    const auto [to, as_json] = writer_for(l);
    if (to->should_log(l))
      to->log(l, as_json ? line(true, e.level, e.event, e.fields, {}) : line(false, e.level, e.text, {}, {}));
  }

  bool writes(const std::string& level) const {
    const auto l = level_of(level);
    return writer_for(l).first->should_log(l);
  }

  /// Lines about tasks have the ids of their traces.
  bool traces() const { return traces_; }

  std::size_t lost() const {
    const std::lock_guard lock{mutex_};
    return unwritten + (pool_ ? pool_->overrun_counter() : 0);
  }

private:
  /// It may be started again while others write.
  std::pair<std::shared_ptr<spdlog::logger>, bool> writer_for(spdlog::level::level_enum l) const {
    const std::lock_guard lock{mutex_};
    if (l >= spdlog::level::err || !async_)
      return {sync_, json_};
    return {async_, json_};
  }

  void use(const spdlog::sink_ptr& sink, spdlog::level::level_enum level) {
    sync_ = std::make_shared<spdlog::logger>("steadfast", sink);
    async_ = pool_ ? std::make_shared<spdlog::async_logger>("steadfast", sink, pool_,
                                                            spdlog::async_overflow_policy::overrun_oldest)
                   : nullptr;
    for (spdlog::logger* l : {sync_.get(), static_cast<spdlog::logger*>(async_.get())})
      if (l != nullptr) {
        l->set_pattern("%v");
        l->set_level(level);
        l->flush_on(spdlog::level::info);
        l->set_error_handler([](const std::string&) {}); // a full disk must not stop the node
      }
  }

  static spdlog::sink_ptr sink_for(const log_options& o) {
    if (o.file.empty())
      return std::make_shared<spdlog::sinks::stderr_sink_mt>();
    try {
      return std::make_shared<file_sink>(
        runtime::open_log_file(o.file), [as_json = o.json](std::size_t lines, const std::string& why) {
          return line(as_json, "warning", "lines of the log were lost", {{"lines", std::to_string(lines)}}, why);
        });
    } catch (const std::runtime_error& e) {
      throw node_error{e.what()};
    }
  }

  static std::string line(bool as_json, const std::string& level, const std::string& event, const fields& more,
                          const std::string& detail) {
    const auto now = std::chrono::time_point_cast<workflow::span>(std::chrono::system_clock::now());
    return as_json ? json_line(now, level, event, more, detail) : text_line(now, level, event, more, detail);
  }

  static std::string json_line(workflow::instant now, const std::string& level, const std::string& event,
                               const fields& more, const std::string& detail) {
    nlohmann::ordered_json j{{"time", utc_text(now)}, {"level", level}, {"event", event}};
    for (const auto& [name, value] : more)
      j[name] = value;
    if (!detail.empty())
      j["detail"] = detail;
    return runtime::escaped_json(j.dump(-1, ' ', false, json::error_handler_t::replace));
  }

  static std::string text_line(workflow::instant now, const std::string& level, const std::string& event,
                               const fields& more, const std::string& detail) {
    auto text =
      local_text(now, true) + " " + level + std::string(8 - std::min<std::size_t>(level.size(), 7), ' ') + event;
    for (const auto& [name, value] : more)
      text.append(" ").append(name).append("=").append(value);
    if (!detail.empty())
      text += ": " + detail;
    // One event is one line, whatever a service's answer holds.
    std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 127; }, ' ');
    return runtime::escaped_json(std::move(text)); // whoever watches it has a terminal
  }

  std::atomic<bool> traces_ = false;
  mutable std::mutex mutex_; ///< of what start() changes
  bool json_ = false;
  std::shared_ptr<spdlog::details::thread_pool> pool_;
  std::shared_ptr<spdlog::logger> sync_;
  std::shared_ptr<spdlog::async_logger> async_;
};

process_log& log() {
  static process_log the_log;
  return the_log;
}

/// The step that changed last: a line about the task is most likely about this step.
std::optional<std::size_t> latest_step(const workflow::task& t) {
  std::optional<std::size_t> latest;
  workflow::instant at = workflow::unset;
  for (std::size_t i = 0; i < t.steps.size(); ++i) {
    const auto& log = t.steps[i].log;
    if (!log.empty() && std::max(log.back().started_at, log.back().ended_at) > at) {
      latest = i;
      at = std::max(log.back().started_at, log.back().ended_at);
    }
  }
  return latest;
}

fields fields_of(const workflow::task& t, bool traces) {
  fields f{{"task", t.id}, {"workflow", t.workflow}, {"state", std::string{to_string(t.state)}}};
  if (traces)
    f.emplace_back("trace_id", workflow::trace_text(workflow::trace_of(t, 0)));
  if (const auto i = latest_step(t)) {
    f.emplace_back("step", std::to_string(*i));
    f.emplace_back("attempt", std::to_string(t.steps[*i].attempt));
  }
  return f;
}

} // namespace

void start_log(const log_options& o) {
  log().start(o);
}

void log_line(const std::string& level, const std::string& text) {
  log().write(level, text, {}, {});
}

void log_event(const log_entry& e) {
  log().write(e);
}

void log_task(const std::string& event, const workflow::task& t, const std::string& detail) {
  const std::string level = t.state == workflow::process_state::error ? "warning" : "info";
  if (log().writes(level)) // to look for the fields takes longer
    log().write(level, event, fields_of(t, log().traces()), detail);
}

std::size_t log_lines_lost() {
  return log().lost();
}

} // namespace steadfast
