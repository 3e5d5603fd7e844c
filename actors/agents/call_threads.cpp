#include "actors/agents/call_threads.hpp"

#include <csignal>
#include <system_error>
#include <thread>
#include <utility>

namespace steadfast::actors {

void block_signals() {
  sigset_t all;
  sigfillset(&all);
  for (const int own_fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT})
    sigdelset(&all, own_fault);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
}

void open_threads::begin(const std::string& whose) {
  const std::lock_guard lock{mutex_};
  ++open_[whose];
}

void open_threads::end(const std::string& whose) {
  const std::lock_guard lock{mutex_};
  const auto found = open_.find(whose);
  if (--found->second == 0)
    open_.erase(found);
  changed_.notify_all();
}

std::vector<std::string> open_threads::wait_until(moment end) {
  std::unique_lock lock{mutex_};
  changed_.wait_until(lock, end, [this] { return open_.empty(); });
  std::vector<std::string> all;
  for (const auto& [whose, count] : open_)
    all.push_back(whose);
  return all;
}

std::multiset<open_threads::moment>::iterator open_threads::begin_work(std::chrono::milliseconds longest) {
  const std::lock_guard lock{mutex_};
  return due_.insert(now_() + longest);
}

void open_threads::end_work(std::multiset<moment>::iterator work) {
  const std::lock_guard lock{mutex_};
  due_.erase(work);
}

std::optional<open_threads::moment> open_threads::last_due() const {
  const std::lock_guard lock{mutex_};
  return due_.empty() ? std::nullopt : std::optional{*due_.rbegin()};
}

call_threads::call_threads(std::size_t threads_max, thread_place place) : threads_max_{threads_max} {
  shared_->place = std::move(place);
}

call_threads::~call_threads() {
  std::unique_lock lock{shared_->mutex};
  shared_->closed = true;
  shared_->work.clear();
  shared_->changed.notify_all();
  shared_->changed.wait(lock, [this] { return shared_->idle == 0; });
}

void call_threads::carry_out(std::function<void()> work) {
  std::lock_guard lock{shared_->mutex};
  shared_->work.push_back(std::move(work));
  if (shared_->work.size() > shared_->idle && shared_->threads < threads_max_)
    start_thread();
  shared_->changed.notify_one();
}

void call_threads::start_thread() {
  const auto& place = shared_->place;
  if (place.open)
    place.open->begin(place.whose);
  try {
    std::thread{[s = shared_]() mutable {
      serve(s);
      const auto at = s->place;
      s.reset(); // with what the work held
      if (at.open)
        at.open->end(at.whose);
    }}.detach();
    ++shared_->threads;
  } catch (const std::system_error&) {
    if (place.open)
      place.open->end(place.whose);
    // The system gives no thread. The work waits for a busy one, or for the next attempt to start one.
  }
}

void call_threads::serve(const std::shared_ptr<shared>& s) {
  block_signals();
  std::unique_lock lock{s->mutex};
  while (true) {
    ++s->idle;
    s->changed.wait(lock, [&s] { return s->closed || !s->work.empty(); });
    --s->idle;
    if (s->closed)
      break;
    auto work = std::move(s->work.front());
    s->work.pop_front();
    lock.unlock();
    work();
    work = nullptr;
    lock.lock();
  }
  s->changed.notify_all();
}

} // namespace steadfast::actors
