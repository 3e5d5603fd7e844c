#include "runtime/http/task_watch.hpp"

#include "api/error.hpp"
#include "api/names.hpp"
#include "client/exact_json.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace steadfast::runtime {

namespace {

using nlohmann::json;
using std::chrono::milliseconds;

constexpr milliseconds look_first{5};
constexpr milliseconds look_last{250};

/// One client that waits. Kept by what it waits for.
struct waiting : std::enable_shared_from_this<waiting> {
  const task_watch watch;
  const std::string id;
  const control_reply reply;
  const std::chrono::steady_clock::time_point until;
  milliseconds pause = look_first;

  waiting(task_watch w, std::string i, milliseconds limit, control_reply r)
      : watch{std::move(w)},
        id{std::move(i)},
        reply{std::move(r)},
        until{std::chrono::steady_clock::now() + limit} {}

  void look() {
    watch.on_pool([self = shared_from_this()] {
      self->watch.methods->at(api::task_state)(json{{"id", self->id}},
                                               [self](const control_answer& a) { self->got(a); });
    });
  }

  void got(const control_answer& answer) {
    json state;
    try {
      state = answer();
    } catch (...) {
      return reply([why = std::current_exception()]() -> json { std::rethrow_exception(why); });
    }
    if (is_end(state.at("process_state")) || std::chrono::steady_clock::now() >= until)
      return reply([&] { return state; });
    watch.later(pause, [self = shared_from_this()] { self->look(); });
    pause = std::min(pause * 3 / 2 + milliseconds{1}, look_last);
  }
};

/// The data of an event has no ends of lines: JSON text has none.
std::string event_of(std::uint64_t revision, const json& data) {
  return "id: " + std::to_string(revision) + "\nevent: task\ndata: " + exact_text(data) + "\n\n";
}

http_stream::piece news_of(const json& shown, std::uint64_t& seen) {
  auto task = shown.at("task");
  const auto revision = task.at("revision").get<std::uint64_t>();
  const bool is_last = is_end(task.at("process_state"));
  if (revision <= seen)
    return {{}, is_last};
  seen = revision;
  task.erase("payload"); // it may be large, and only an edit changes it, which is among the acts
  return {event_of(revision, {{"task", task}, {"explanation", shown.at("explanation")}}), is_last};
}

} // namespace

bool is_end(const std::string& process_state) {
  return process_state == "processed" || process_state == "undone" || process_state == "error";
}

void task_watch::wait(const std::string& id, milliseconds limit, const control_reply& reply) const {
  std::make_shared<waiting>(*this, id, limit, reply)->look();
}

std::shared_ptr<http_stream> task_watch::follow(const std::string& id, std::uint64_t seen) const {
  auto stream = std::make_shared<http_stream>();
  stream->look = [watch = *this, id, last = std::make_shared<std::uint64_t>(seen)](const http_stream::reply& r) {
    watch.on_pool([watch, id, last, r] {
      watch.methods->at(api::task_show)(json{{"id", id}}, [last, r](const control_answer& a) {
        http_stream::piece piece;
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
  return stream;
}

} // namespace steadfast::runtime
