#include "runtime/events/task_watch.hpp"

#include "api/error.hpp"
#include "api/names.hpp"
#include "client/exact_json.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <utility>

namespace steadfast::runtime {

namespace {

using nlohmann::json;
using std::chrono::milliseconds;

constexpr milliseconds look_soonest{5}; ///< where changes are not told
constexpr milliseconds look_latest{250};

/// One client that waits. Kept by the look that is under way, or by the hub.
class waiting : public std::enable_shared_from_this<waiting> {
public:
  waiting(watch_parts p, std::string id, milliseconds limit, control_reply r)
      : parts_{std::move(p)},
        id_{std::move(id)},
        reply_{std::move(r)},
        until_{std::chrono::steady_clock::now() + limit} {}

  void look() {
    parts_.on_pool([self = shared_from_this()] {
      self->parts_.methods->at(api::task_state)(json{{"id", self->id_}},
                                                [self](const control_answer& a) { self->got(a); });
    });
  }

private:
  void got(const control_answer& answer) {
    json state;
    try {
      state = answer();
    } catch (...) {
      return end([why = std::current_exception()]() -> json { std::rethrow_exception(why); });
    }
    const auto left = std::chrono::ceil<milliseconds>(until_ - std::chrono::steady_clock::now());
    if (is_end(state.at("process_state")) || left.count() <= 0)
      return end([&] { return state; });
    if (!listening_) {
      listening_ = parts_.hub->listen(state.at("number"), [self = shared_from_this()] { self->wake(); });
      if (!listening_)
        return; // the node ends: who waits is told so
      wake_later(left);
      return look(); // it may have changed before
    }
    rest(left);
  }

  void end(const control_answer& a) {
    listening_.reset();
    reply_(a);
  }

  void rest(milliseconds left) {
    {
      const std::lock_guard lock{mutex_};
      is_resting_ = !std::exchange(was_woken_, false);
      if (!is_resting_)
        return look();
    }
    if (parts_.hub->is_complete())
      return;
    wake_later(std::min(pause_, left));
    pause_ = std::min(pause_ * 3 / 2 + milliseconds{1}, look_latest);
  }

  void wake_later(milliseconds wait) {
    parts_.later(wait, [weak = weak_from_this()] {
      if (const auto self = weak.lock())
        self->wake();
    });
  }

  void wake() {
    const std::lock_guard lock{mutex_};
    if (!std::exchange(is_resting_, false))
      was_woken_ = true;
    else
      look();
  }

  const watch_parts parts_;
  const std::string id_;
  const control_reply reply_;
  const std::chrono::steady_clock::time_point until_;
  milliseconds pause_ = look_soonest;
  change_hub::listening listening_;
  std::mutex mutex_; ///< of the rest
  bool is_resting_ = false;
  bool was_woken_ = false; ///< during a look
};

live_stream::piece news_of(const json& shown, std::uint64_t& seen) {
  auto task = shown.at("task");
  const auto revision = task.at("revision").get<std::uint64_t>();
  const bool is_last = is_end(task.at("process_state"));
  if (revision <= seen)
    return {{}, is_last};
  seen = revision;
  task.erase("payload"); // it may be large, and only an edit changes it, which is among the acts
  const auto data = exact_text({{"task", task}, {"explanation", shown.at("explanation")}});
  return {event_text(std::to_string(revision), "task", data), is_last};
}

} // namespace

bool is_end(const std::string& process_state) {
  return process_state == "processed" || process_state == "undone" || process_state == "error";
}

void task_watch::wait(const std::string& id, milliseconds limit, const control_reply& reply) const {
  std::make_shared<waiting>(parts, id, limit, reply)->look();
}

std::shared_ptr<live_stream> task_watch::follow(const std::string& id, std::uint64_t number, std::uint64_t seen) const {
  auto stream = std::make_shared<live_stream>();
  stream->look = [p = parts, id, last = std::make_shared<std::uint64_t>(seen)](const live_stream::reply& r) {
    p.on_pool([p, id, last, r] {
      p.methods->at(api::task_show)(json{{"id", id}}, [last, r](const control_answer& a) {
        live_stream::piece piece;
        try {
          piece = news_of(a(), *last);
        } catch (const api::error& e) { // it left the store; anything else is over sooner or later
          piece.is_last = e.number() == api::error::not_found;
        } catch (const std::exception&) {
          piece = {};
        }
        r(std::move(piece));
      });
    });
  };
  stream->listen = [hub = parts.hub, number](std::function<void()> wake) {
    return hub->listen(number, std::move(wake));
  };
  stream->is_woken = [hub = parts.hub] { return hub->is_complete(); };
  return stream;
}

} // namespace steadfast::runtime
