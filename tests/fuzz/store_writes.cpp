// What other nodes ask the store to write, and what a person imports: any list of writes that can be decoded is carried
// out, each on its own, and leaves a store in which nothing is wrong. The input is a frame, as nodes send it, of whose
// head only the format is looked at.

#include "store/records/frame.hpp"
#include "store/records/record.hpp"
#include "tests/fuzz/support/fuzz.hpp"
#include "tests/fuzz/support/open_base.hpp"
#include "tests/fuzz/support/scratch.hpp"
#include "tests/fuzz/support/seen_store.hpp"
#include "tests/unit/store/support.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <utility>

using namespace steadfast;
using namespace steadfast::store::test;

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t size_max);

namespace {

using writes = std::vector<store::write>;

constexpr std::size_t writes_max = 32;
constexpr std::size_t grown_max = 8; ///< writes of a list that mutation makes: more take longer, and show little more

template <class T>
constexpr auto kind_for = store::record_kind::write_request;
template <>
constexpr auto
  kind_for<writes> = static_cast<store::record_kind>(static_cast<unsigned>(store::record_kind::list)
                                                     + static_cast<unsigned>(store::record_kind::write_request));

template <class T>
std::optional<T> decoded(std::string_view body, std::uint16_t format = store::relative_body) {
  std::string frame = std::string(store::frame_head_size, '\0') + std::string{body};
  store::seal(frame, format, kind_for<T>, {});
  try {
    return store::decode<T>(frame);
  } catch (const store::damaged_record&) {
    return std::nullopt;
  }
}

/// Of its head only the format is looked at.
std::optional<writes> writes_in(std::string_view frame) {
  constexpr std::size_t format_at = 8;
  if (frame.size() < store::frame_head_size)
    return std::nullopt;
  const bool is_plain = static_cast<std::uint8_t>(frame[format_at]) == store::plain_body;
  return decoded<writes>(frame.substr(store::frame_head_size), is_plain ? store::plain_body : store::relative_body);
}

template <class T>
std::string body_of(const T& value) {
  return store::encode(value).substr(store::frame_head_size);
}

// ---- mutation: of the list, or of the bytes of one write, as long as it remains one ----

store::write mutated(const store::write& w) {
  constexpr std::size_t grow_max = 256;
  constexpr int tries = 16;
  for (int i = 0; i < tries; ++i) {
    auto body = body_of(w);
    const auto size = body.size();
    body.resize(size + grow_max);
    body.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(body.data()), size, body.size()));
    if (auto other = decoded<store::write>(body))
      return *std::move(other);
  }
  return w;
}

template <std::size_t... Kinds>
writes one_of_each(std::index_sequence<Kinds...>) {
  return {store::write{std::in_place_index<Kinds>}...};
}

/// What mutation begins with, of every kind, in code, so that no change of the format of writes takes them away.
writes make_examples() {
  auto all = one_of_each(std::make_index_sequence<std::variant_size_v<store::write>>{});
  all.push_back(store::submit_task{order("another"), at(70)});
  all.push_back(store::register_definition{delivery(3)});
  all.push_back(store::claim_tasks{"s1", 3, at(70)});
  all.push_back(store::free_locks{"s1", 1000, true, at(70)});
  all.push_back(store::acquire_lease{"supervisor", "n2", "a note", workflow::span{1000}, at(70)});
  all.push_back(store::acknowledge_alert{1, "ann", at(70)});
  all.push_back(store::acknowledge_notices{"shop", 2, 1});
  all.push_back(store::purge_ended{"delivery", {}, 1000, {}, at(70)});
  for (const auto& [thing, bytes] : fuzz::base().past.states.back())
    if (thing.starts_with("task task-")) {
      const auto t = store::decode<workflow::task>(bytes);
      all.push_back(update_by(t, delivery(), workflow::suspended{{"ann", "because"}}, at(70)));
      for (std::size_t i = 0; i < t.steps.size(); ++i)
        if (t.steps[i].doing != workflow::attempt_action::none)
          all.push_back(success_of(t, i));
    } else if (thing.starts_with("exported task ")) {
      all.push_back(store::import_task{store::decode<store::exported_task>(bytes), "ann", "because", at(70)});
    }
  return all;
}

const writes& examples() {
  static const auto all = make_examples();
  return all;
}

void mutate(writes& all, std::minstd_rand& chance) {
  const auto any = [&] { return chance() % all.size(); };
  if (all.size() > grown_max)
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(any()));
  const auto& example = examples()[chance() % examples().size()];
  switch (all.empty() ? 0 : chance() % 8) {
    case 0: all.push_back(chance() % 2 == 0 ? example : mutated(example)); return;
    case 1: all.insert(all.begin() + static_cast<std::ptrdiff_t>(any()), store::write{all[any()]}); return;
    case 2: all.erase(all.begin() + static_cast<std::ptrdiff_t>(any())); return;
    case 3: std::swap(all[any()], all[any()]); return;
    default: {
      auto& w = all[any()];
      w = mutated(w);
    }
  }
}

// ---- checks ----

/// The clock is the writer's, whatever a node says.
store::write at_its_time(store::write w, std::int64_t seconds) {
  std::visit(
    [seconds](auto& x) {
      if constexpr (requires { x.now; })
        x.now = at(seconds);
    },
    w);
  return w;
}

void try_batch(fuzz::trial& store, const writes& batch) {
  const auto outcomes = store.commit(batch);
  fuzz::expect(outcomes.size() == batch.size(), "every write is decided");
  for (const auto& o : outcomes)
    fuzz::expect(o.result == store::write_status::applied || !o.why.empty(), "a refusal says why");
}

} // namespace

void fuzz::try_input(std::string_view input) {
  auto all = writes_in(input);
  if (!all || all->size() > writes_max)
    return;
  for (std::size_t i = 0; i < all->size(); ++i)
    all->at(i) = at_its_time(std::move(all->at(i)), 100 + static_cast<std::int64_t>(i));
  trial store;
  constexpr std::ptrdiff_t together = 3;
  for (auto at = all->begin(); at != all->end();) {
    const auto end = at + std::min(together, all->end() - at);
    try_batch(store, {at, end});
    at = end;
  }
  const auto fault = store.fault();
  expect(fault.empty(), "nothing is wrong with the store", fault);
}

/// Not counted as time of the first input. A seed that is no list of writes any more would test nothing, and nobody
/// would know.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  fuzz::opened_base();
  for (const auto& seed : std::filesystem::directory_iterator{STEADFAST_FUZZ_CORPUS "/store_writes"}) {
    fuzz::expect(writes_in(fuzz::bytes_of(seed.path())).has_value(), "a seed is a list of writes",
                 seed.path().filename().string());
  }
  return 0;
}

/// Called by libFuzzer.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t size_max,
                                               unsigned seed) {
  const std::string_view input{reinterpret_cast<const char*>(data), size};
  auto all = writes_in(input).value_or(writes{});
  std::minstd_rand chance{seed};
  mutate(all, chance);
  const auto frame = store::encode(all);
  if (frame.size() > size_max)
    return LLVMFuzzerMutate(data, size, size_max);
  std::copy(frame.begin(), frame.end(), data);
  return frame.size();
}
