// What other nodes ask the store to write, and what a person imports: any list of writes that can be decoded is judged, each on its
// own, and leaves a store in which nothing is wrong. The input is a frame, as nodes send it, whose head is not looked at.

#include "store/frame.hpp"
#include "store/lmdb_engine.hpp"
#include "store/lmdb_file.hpp"
#include "store/record.hpp"
#include "tests/fuzz/support/fuzz.hpp"
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

template <class T>
constexpr auto kind_for = store::record_kind::write_request;
template <>
constexpr auto
  kind_for<writes> = static_cast<store::record_kind>(static_cast<unsigned>(store::record_kind::list)
                                                     + static_cast<unsigned>(store::record_kind::write_request));

template <class T>
std::optional<T> decoded(std::string_view body) {
  std::string frame = std::string(store::frame_head_size, '\0') + std::string{body};
  store::seal(frame, store::plain_body, kind_for<T>, {});
  try {
    return store::decode<T>(frame);
  } catch (const store::damaged_record&) {
    return std::nullopt;
  }
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

void mutate(writes& all, std::minstd_rand& chance) {
  const auto any = [&] { return chance() % all.size(); };
  switch (all.empty() ? 0 : chance() % 8) {
    case 0: all.push_back(mutated(store::submit_task{order("another"), at(70)})); return;
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

void judge(store::state_store& engine, const writes& batch) {
  const auto outcomes = engine.commit(batch);
  fuzz::expect(outcomes.size() == batch.size(), "every write is judged");
  for (const auto& o : outcomes)
    fuzz::expect(o.result == store::verdict::applied || !o.why.empty(), "a refusal says why");
}

void check_well(store::state_store& engine) {
  const auto damaged = engine.damaged();
  fuzz::expect(damaged.empty(), "no task is damaged", damaged.empty() ? "" : damaged[0].why);
  const auto faults = engine.check().faults;
  fuzz::expect(faults.empty(), "nothing is wrong with the store", faults.empty() ? "" : faults[0]);
}

} // namespace

void fuzz::try_input(std::string_view input) {
  auto all = decoded<writes>(input.substr(std::min(input.size(), store::frame_head_size)));
  if (!all || all->size() > writes_max)
    return;
  for (std::size_t i = 0; i < all->size(); ++i)
    all->at(i) = at_its_time(std::move(all->at(i)), 100 + static_cast<std::int64_t>(i));
  auto options = small_options(scratch_folder() / "store");
  set_reserve(options, 1 << 20);
  lay_down(options.path, base().bytes, base().closed);
  store::lmdb_engine engine{options};
  constexpr std::ptrdiff_t together = 3;
  for (auto at = all->begin(); at != all->end();) {
    const auto end = at + std::min(together, all->end() - at);
    judge(engine, {at, end});
    at = end;
  }
  check_well(engine);
  store::lmdb::check_structure(bytes_of(options.path / "data.mdb"));
}

/// Called by libFuzzer.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t size_max,
                                               unsigned seed) {
  const std::string_view input{reinterpret_cast<const char*>(data), size};
  auto all = decoded<writes>(input.substr(std::min(size, store::frame_head_size))).value_or(writes{});
  std::minstd_rand chance{seed};
  mutate(all, chance);
  const auto frame = store::encode(all);
  if (frame.size() > size_max)
    return LLVMFuzzerMutate(data, size, size_max);
  std::copy(frame.begin(), frame.end(), data);
  return frame.size();
}
