#include "tests/chaos/waker.hpp"

#include "api/names.hpp"

#include <algorithm>
#include <fstream>
#include <functional>
#include <random>
#include <utility>

namespace chaos {

namespace {

using namespace std::chrono_literals;
using json = nlohmann::json;

constexpr std::size_t senders = 16; ///< a frozen node holds those that wait for its answer
constexpr auto watch_every = 100ms;
constexpr auto ask_every = 1s; ///< the node looks through all unfinished tasks for questions
constexpr auto pause_before_repeat = 100ms;

} // namespace

waker::waker(std::vector<payment> payments, wake_log& log, waker_options options)
    : log_{log},
      options_{std::move(options)} {
  for (const auto& p : payments)
    add_payment(p);
  threads_.emplace_back([this] { watch(); });
  for (std::size_t i = 0; i < senders; ++i)
    threads_.emplace_back([this, i] { send_due(i); });
}

waker::~waker() {
  stop();
}

void waker::stop() {
  {
    std::lock_guard guard{mutex_};
    stopped_ = true;
  }
  arrived_.notify_all();
  for (auto& thread : threads_)
    if (thread.joinable())
      thread.join();
}

/// Depends only on the seed and the text.
std::uint64_t waker::drawn(const std::string& about, std::uint64_t bound) const {
  return std::mt19937_64{options_.seed + std::hash<std::string>{}(about)}() % bound;
}

// ---- what is to be said ----

void waker::add(std::deque<wake> wakes, std::chrono::milliseconds after) {
  if (wakes.empty())
    return;
  {
    std::lock_guard guard{mutex_};
    jobs_.push({clock::now() + after, std::move(wakes)});
  }
  arrived_.notify_one();
}

void waker::add_payment(const payment& p) {
  const json data{{"payment", p.id}};
  const wake once{0ms,
                  steadfast::api::event_send,
                  {{"event", "paid"}, {"key", p.key}, {"data", data}, {"id", p.id}, {"who", "the bank"}},
                  {{"wake", "event"},
                   {"event", "paid"},
                   {"key", p.key},
                   {"tasks", p.tasks},
                   {"steps", {"paid", "paid_again"}},
                   {"says", data}}};
  std::deque<wake> wakes{once};
  if (p.is_sent_twice) {
    wakes.push_back(once);
    wakes.back().after = std::chrono::milliseconds{drawn(p.id, 2000)};
  }
  add(std::move(wakes), p.due);
}

waker::wake waker::by_token(const json& line, const char* what, int after_ms) {
  return {
    std::chrono::milliseconds{after_ms},
    steadfast::api::step_extend,
    {{"token", line.at("token")}},
    {{"wake", what}, {"tasks", {line.at("task")}}, {"steps", {line.at("step")}}, {"attempt", line.at("attempt")}}};
}

void waker::add_token(const json& line) {
  const auto about = line.at("task").get<std::string>() + "#" + line.at("attempt").dump();
  const auto after_ms = static_cast<int>(50 + drawn(about + "when", 700));
  const auto complete = [&](const std::string& box, int after) {
    auto w = by_token(line, "complete", after);
    w.method = steadfast::api::step_complete;
    w.params["result"] = w.logged["says"] = {{"box", box}};
    return w;
  };
  const auto fail = [&](bool for_good, int after) {
    auto w = by_token(line, "fail", after);
    w.method = steadfast::api::step_fail;
    // it may have acted, since the service has: else its effect would stay
    w.params.update({{"error", "the box broke"}, {"for_now", !for_good}, {"maybe_done", true}});
    w.logged["for_good"] = for_good;
    return w;
  };
  const auto extend = [&line](int after) { return by_token(line, "extend", after); };
  const auto what = drawn(about, 100);
  std::deque<wake> wakes;
  if (what < 66)
    wakes = {complete(about, 0)};
  else if (what < 74)
    wakes = {fail(false, 0)};
  else if (what < 78)
    wakes = {fail(true, 0)};
  else if (what < 88)
    wakes = {extend(0), extend(1500), complete(about, 1500)};
  else if (what < 92)
    wakes = {complete(about, 0), complete("another one than of " + about, 100)};
  else if (what < 96)
    wakes = {complete(about, 0), fail(true, 100), extend(100)};
  add(std::move(wakes), std::chrono::milliseconds{after_ms}); // of the others nobody says anything
}

void waker::add_answer(const json& question) {
  const auto id = question.at("id").get<std::string>();
  const auto answer = [&](const std::string& choice, const std::string& who, int after_ms) {
    const json says{{"choice", choice}, {"who", who}};
    wake w{std::chrono::milliseconds{after_ms}, steadfast::api::approval_answer, says, says};
    w.params.update({{"id", id}, {"step", question.at("step")}});
    w.logged.update({{"wake", "answer"}, {"tasks", {id}}, {"steps", {question.at("step")}}});
    return w;
  };
  const auto what = drawn(id, 100);
  std::deque<wake> wakes;
  if (what < 86)
    wakes = {answer("ship", "ann", 0)};
  else if (what < 92)
    wakes = {answer("return", "ann", 0)};
  else if (what < 96)
    wakes = {answer("ship", "ann", 0), answer("return", "bob", 100)};
  add(std::move(wakes), 0ms); // of the others nobody answers
}

// ---- to say it ----

std::optional<waker::job> waker::take_due() {
  std::unique_lock lock{mutex_};
  while (!stopped_) {
    if (jobs_.empty())
      arrived_.wait(lock);
    else if (jobs_.top().due > clock::now())
      arrived_.wait_until(lock, jobs_.top().due);
    else {
      auto first = jobs_.top();
      jobs_.pop();
      return first;
    }
  }
  return std::nullopt;
}

void waker::send_due(std::size_t number) {
  connection to{number, {}};
  while (auto j = take_due()) {
    auto pause = std::chrono::milliseconds{pause_before_repeat};
    if (is_answered(j->left.front(), to)) {
      j->left.pop_front();
      pause = j->left.empty() ? 0ms : j->left.front().after;
    }
    add(std::move(j->left), pause);
  }
}

bool waker::is_answered(const wake& w, connection& to) {
  const auto call = log_.asked(w.logged);
  try {
    const auto told = client_of(to).call(w.method, w.params);
    log_.acknowledged(call, told.value("taken", std::uint64_t{0}));
    ++acknowledged_;
    return true;
  } catch (const steadfast::client_error& e) {
    using kind = steadfast::client_error::kind;
    if (e.why() == kind::refused || e.why() == kind::not_found) {
      log_.refused(call, e.what());
      ++refused_;
      return true;
    }
    log_.without_answer(call, e.what());
    ++repeated_;
    if (e.why() != kind::busy)
      leave(to);
    return false;
  }
}

steadfast::client& waker::client_of(connection& to) const {
  if (!to.client)
    to.client.emplace(options_.sockets[to.node % options_.sockets.size()]);
  return *to.client;
}

void waker::leave(connection& to) {
  to.client.reset();
  ++to.node;
}

// ---- what is there to say something to ----

void waker::watch() {
  connection to;
  auto next_question = clock::now();
  std::unique_lock lock{mutex_};
  while (!stopped_) {
    lock.unlock();
    read_tokens();
    if (clock::now() >= next_question) {
      look_for_questions(to);
      next_question = clock::now() + ask_every;
    }
    lock.lock();
    arrived_.wait_for(lock, watch_every, [this] { return stopped_.load(); });
  }
}

/// The last line may not be whole yet.
void waker::read_tokens() {
  std::ifstream in{options_.tokens};
  in.seekg(tokens_read_);
  for (std::string line; std::getline(in, line) && !in.eof();) {
    tokens_read_ += static_cast<std::streamoff>(line.size()) + 1;
    const auto read = json::parse(line);
    if (seen_.insert(read.at("token").get<std::string>()).second)
      add_token(read);
  }
}

void waker::look_for_questions(connection& to) {
  try {
    json page{{"workflow", "order"}, {"max", 1000}};
    for (bool is_last = false; !is_last && !stopped_;) {
      const auto open = client_of(to).call(steadfast::api::approval_list, page);
      for (const auto& question : open.at("approvals"))
        if (seen_.insert(question.at("id").get<std::string>()).second)
          add_answer(question);
      is_last = open.at("next").is_null();
      page["before"] = open.at("next");
    }
  } catch (const steadfast::client_error&) {
    leave(to);
  }
}

} // namespace chaos
