#include "actors/agents/function/function_caller.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <utility>

namespace steadfast::actors {
namespace {

answer threw(const std::string& what) {
  return failed_for_now("the function threw: " + what);
}

answer answer_of(const std::function<answer(const call&)>& run, const call& what) {
  try {
    return run(what);
  } catch (const std::exception& e) {
    return threw(e.what());
  } catch (...) {
    return threw("something that is no std::exception");
  }
}

class quick_caller : public caller {
public:
  explicit quick_caller(quick_function f) : f_{std::move(f)} {}

  const char* kind() const override { return "function"; }
  std::optional<answer> start(call_ticket, call what) override { return answer_of(f_.run, what); }
  void stop(call_ticket) override {} // it is over already

private:
  quick_function f_;
};

class promised_answer;

/// The calls under way. An entry goes when its call is over, from any thread.
class open_calls {
public:
  struct entry {
    std::stop_source source;
    std::weak_ptr<promised_answer> promise; ///< async functions only
  };

  std::stop_token open(call_ticket ticket) {
    std::lock_guard lock{mutex_};
    return entries_[ticket].source.get_token();
  }
  void promise(call_ticket ticket, const std::shared_ptr<promised_answer>& p) {
    std::lock_guard lock{mutex_};
    entries_[ticket].promise = p;
  }
  void close(call_ticket ticket) {
    std::lock_guard lock{mutex_};
    entries_.erase(ticket);
  }
  std::optional<entry> find(call_ticket ticket) {
    std::lock_guard lock{mutex_};
    const auto i = entries_.find(ticket);
    return i == entries_.end() ? std::nullopt : std::optional{i->second};
  }
  // Not under the lock: a stop source runs the callbacks that the function registered.
  void request_stop(call_ticket ticket) {
    if (auto e = find(ticket))
      e->source.request_stop();
  }
  void request_stop_of_all() {
    std::unique_lock lock{mutex_};
    auto all = entries_;
    lock.unlock();
    for (auto& [ticket, e] : all)
      e.source.request_stop();
  }

private:
  std::mutex mutex_;
  std::map<call_ticket, entry> entries_;
};

/// While it exists its call counts as work under way, for code that waits for the end of functions.
class counted_call {
public:
  counted_call(open_threads* open, const call& what) : open_{open} {
    if (open_)
      work_ = open_->begin_work(std::min<workflow::span>(what.complete_by - what.began_at, longest));
  }
  ~counted_call() {
    if (open_)
      open_->end_work(work_);
  }
  counted_call(const counted_call&) = delete;
  counted_call& operator=(const counted_call&) = delete;

private:
  static constexpr std::chrono::hours longest{24}; ///< nobody waits for longer

  open_threads* open_;
  std::multiset<open_threads::moment>::iterator work_;
};

class blocking_caller : public caller {
public:
  blocking_caller(blocking_function f, std::uint32_t concurrency, call_over over, thread_place place)
      : shared_{std::make_shared<shared>(std::move(f), std::move(over), place.open)},
        threads_{concurrency, std::move(place)} {}
  ~blocking_caller() override { shared_->calls.request_stop_of_all(); }

  const char* kind() const override { return "function"; }

  std::optional<answer> start(call_ticket ticket, call what) override {
    what.stop = shared_->calls.open(ticket);
    threads_.carry_out([s = shared_, ticket, what = std::move(what)] {
      const counted_call under_way{s->open.get(), what};
      auto a = answer_of(s->f.run, what);
      s->calls.close(ticket);
      s->over(ticket, std::move(a));
    });
    return std::nullopt;
  }

  /// The function can see it in its stop token; the call is over when the function returns.
  void ask_to_end(call_ticket ticket) override { stop(ticket); }
  void stop(call_ticket ticket) override { shared_->calls.request_stop(ticket); }

private:
  struct shared {
    shared(blocking_function function, call_over say, std::shared_ptr<open_threads> threads)
        : f{std::move(function)},
          over{std::move(say)},
          open{std::move(threads)} {}

    blocking_function f;
    call_over over;
    std::shared_ptr<open_threads> open; ///< may be null
    open_calls calls;
  };
  std::shared_ptr<shared> shared_;
  call_threads threads_;
};

/// Takes the answer of an async function. Passes on exactly one answer, if need be when its last copy is destroyed.
class promised_answer {
public:
  promised_answer(call_ticket ticket, std::shared_ptr<open_calls> calls, call_over over)
      : ticket_{ticket},
        calls_{std::move(calls)},
        over_{std::move(over)} {}
  ~promised_answer() { say(failed_for_now("the function dropped its answer without giving one")); }
  promised_answer(const promised_answer&) = delete;
  promised_answer& operator=(const promised_answer&) = delete;

  void say(answer a) {
    if (said_.exchange(true))
      return;
    calls_->close(ticket_);
    over_(ticket_, std::move(a));
  }

private:
  call_ticket ticket_;
  std::shared_ptr<open_calls> calls_;
  call_over over_;
  std::atomic<bool> said_ = false;
};

class async_caller : public caller {
public:
  async_caller(async_function f, call_over over) : f_{std::move(f)}, over_{std::move(over)} {}
  ~async_caller() override { calls_->request_stop_of_all(); }

  const char* kind() const override { return "function"; }

  std::optional<answer> start(call_ticket ticket, call what) override {
    what.stop = calls_->open(ticket);
    const auto promise = std::make_shared<promised_answer>(ticket, calls_, over_);
    calls_->promise(ticket, promise);
    try {
      f_.run(what, [promise](answer a) { promise->say(std::move(a)); });
    } catch (const std::exception& e) {
      promise->say(threw(e.what()));
    } catch (...) {
      promise->say(threw("something that is no std::exception"));
    }
    return std::nullopt;
  }

  void ask_to_end(call_ticket ticket) override { stop(ticket); }
  void stop(call_ticket ticket) override { calls_->request_stop(ticket); }

  /// The function may never answer: its place becomes free in any case.
  void abandon(call_ticket ticket) override {
    auto e = calls_->find(ticket);
    if (!e)
      return;
    e->source.request_stop();
    if (const auto promise = e->promise.lock())
      promise->say({report_kind::stopped, {}, {}, true, workflow::span{0}});
  }

private:
  async_function f_;
  call_over over_;
  std::shared_ptr<open_calls> calls_ = std::make_shared<open_calls>();
};

} // namespace

std::unique_ptr<caller> make_function_caller(agent_function f, std::uint32_t concurrency, call_over over,
                                             thread_place place) {
  if (auto* quick = std::get_if<quick_function>(&f))
    return std::make_unique<quick_caller>(std::move(*quick));
  if (auto* blocking = std::get_if<blocking_function>(&f))
    return std::make_unique<blocking_caller>(std::move(*blocking), concurrency, std::move(over), std::move(place));
  return std::make_unique<async_caller>(std::get<async_function>(std::move(f)), std::move(over));
}

} // namespace steadfast::actors
