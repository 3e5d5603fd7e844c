#include "examples/checker/history/client_calls.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

using namespace checker;

namespace {

constexpr auto acquired = lease_call::kind::acquired;
constexpr auto released = lease_call::kind::released;
constexpr auto seen = lease_call::kind::seen;

bool is_mutex(const std::vector<lease_call>& calls) {
  return linearizability<lease_model, lease_call>{calls}.holds();
}

/// Clients that ask for one id, `at_once` at a time; what each is told was true at a moment while it waited.
std::vector<client_call> history_of(std::uint64_t seed, std::size_t count, std::size_t at_once) {
  std::mt19937_64 chance{seed};
  std::vector<client_call> calls;
  auto state = id_model::initial();
  std::size_t place = 0;
  while (calls.size() < count) {
    std::vector<client_call> together(std::min(at_once, count - calls.size()));
    for (auto& c : together)
      c.span.began = ++place;
    for (auto& c : together) {
      using answer = client_call::answer;
      c.body = 1 + chance() % 2;
      if (chance() % 2 == 0) {
        c.told = state.is_there ? answer::found : answer::absent;
        c.revision = state.revision + chance() % 2;
      } else if (!state.is_there) {
        c.told = answer::created;
      } else {
        c.told = c.body == state.body ? answer::there : answer::conflict;
      }
      state = *id_model::step(state, c);
    }
    std::shuffle(together.begin(), together.end(), chance);
    for (auto& c : together)
      c.span.ended = ++place;
    calls.insert(calls.end(), together.begin(), together.end());
  }
  std::shuffle(calls.begin(), calls.end(), chance);
  return calls;
}

bool is_one_task(const std::vector<client_call>& calls) {
  return linearizability<id_model, client_call>{calls}.holds();
}

} // namespace

TEST_CASE("an empty history is linearizable") {
  CHECK(is_one_task({}));
}

TEST_CASE("two that hold a lease at once are found, two in turn are accepted") {
  CHECK(is_mutex({{acquired, 1, 1, {1, 2}}, {released, 1, 0, {3, 4}}, {acquired, 2, 2, {5, 6}}}));
  CHECK(is_mutex({{acquired, 1, 1, {1, 2}}, {released, 1, 0, {3, 6}}, {acquired, 2, 2, {4, 5}}})); // between the two
  CHECK_FALSE(is_mutex({{acquired, 1, 1, {1, 2}}, {acquired, 2, 2, {3, 4}}, {released, 1, 0, {5, 6}}}));
  CHECK_FALSE(
    is_mutex({{acquired, 1, 2, {1, 2}}, {released, 1, 0, {3, 4}}, {acquired, 2, 2, {5, 6}}})); // no higher epoch
}

TEST_CASE("who looks at a lease sees its holders one after the other") {
  CHECK(is_mutex({{seen, 1, 3, {1, 2}}, {seen, 1, 3, {3, 4}}, {seen, 0, 3, {5, 6}}, {seen, 2, 7, {7, 8}}}));
  CHECK(is_mutex({{seen, 2, 4, {1, 4}}, {seen, 1, 3, {2, 3}}})); // they looked at the same time
  CHECK_FALSE(is_mutex({{seen, 2, 4, {1, 2}}, {seen, 1, 3, {3, 4}}}));
  CHECK_FALSE(is_mutex({{seen, 1, 3, {1, 2}}, {seen, 2, 3, {3, 4}}})); // two under one epoch
  CHECK_FALSE(is_mutex({{seen, 0, 3, {1, 2}}, {seen, 1, 3, {3, 4}}})); // it had been given back
  CHECK(is_mutex({{acquired, 1, 1, {1, 2}}, {seen, 1, 1, {3, 4}}, {released, 1, 0, {5, 6}}, {seen, 0, 1, {7, 8}}}));
}

TEST_CASE("ten thousand calls at one id are checked, sixteen at a time") {
  const auto seed = GENERATE(1U, 2U, 3U);
  CAPTURE(seed);
  CHECK(is_one_task(history_of(seed, 10'000, 16)));
}

TEST_CASE("one wrong answer among ten thousand is found") {
  const auto seed = GENERATE(1U, 2U, 3U);
  CAPTURE(seed);
  auto calls = history_of(seed, 10'000, 6);
  std::sort(calls.begin(), calls.end(), [](const auto& a, const auto& b) { return a.span.began < b.span.began; });
  auto& planted = calls[calls.size() / 2];
  SECTION("the task is gone") {
    planted.told = client_call::answer::absent;
  }
  SECTION("the task is made again") {
    planted.told = client_call::answer::created;
  }
  SECTION("an older state is seen") {
    planted.told = client_call::answer::found;
    planted.revision = 0;
  }
  CHECK_FALSE(is_one_task(calls));
}

TEST_CASE("many submissions without an answer, of which any may have replaced the task, are searched through") {
  using answer = client_call::answer;
  const auto call = [](answer told, std::uint64_t body, span_of_call span) {
    return client_call{told, body, 0, span, body, on_conflict::replace};
  };
  std::vector<client_call> calls{call(answer::created, 1, {1, 2})};
  for (std::size_t i = 0; i < 40; ++i)
    calls.push_back(call(answer::none, 2 + i % 2, {3 + i}));
  calls.push_back(call(answer::replaced, 4, {50, 51}));
  calls.push_back(call(answer::there, 2, {52, 53}));
  calls.push_back(call(answer::there, 3, {54, 55}));
  CHECK(is_one_task(calls));
  calls.push_back(call(answer::there, 4, {56, 57})); // nobody can have submitted that once more
  CHECK_FALSE(is_one_task(calls));
}
