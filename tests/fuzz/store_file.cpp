// A store whose data file was damaged while nobody had it open, in any way: it is refused with what to do, or what it tells was
// once true, and what it lost or has from before is reported. The input is a list of damages, each a kind and two 32-bit numbers.

#include "store/lmdb_engine.hpp"
#include "tests/fuzz/support/fuzz.hpp"
#include "tests/fuzz/support/scratch.hpp"
#include "tests/fuzz/support/seen_store.hpp"
#include "tests/unit/store/support.hpp"

#include <algorithm>
#include <array>
#include <cstring>

using namespace steadfast;
using namespace steadfast::store::test;

namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t damages_max = 16;

/// Of the file's bytes; `a` and `b` are taken by the rest where they are too large.
struct damage {
  std::uint8_t kind = 0;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
};

std::vector<damage> damages_in(std::string_view input) {
  constexpr std::size_t size = 9;
  std::vector<damage> all;
  for (; input.size() >= size && all.size() < damages_max; input.remove_prefix(size)) {
    damage d;
    d.kind = static_cast<std::uint8_t>(input[0]);
    std::memcpy(&d.a, input.data() + 1, sizeof d.a);
    std::memcpy(&d.b, input.data() + 5, sizeof d.b);
    all.push_back(d);
  }
  return all;
}

std::size_t page_at(const std::string& bytes, std::uint32_t n) {
  return n % (bytes.size() / page) * page;
}

/// Writes over what is there, as far as the file goes.
void overwrite(std::string& bytes, std::size_t at, std::string_view with) {
  std::copy_n(with.begin(), std::min(with.size(), bytes.size() - at), bytes.begin() + static_cast<std::ptrdiff_t>(at));
}

void inflict(std::string& bytes, const damage& d) {
  if (bytes.size() < page)
    return;
  const auto at = d.a % bytes.size();
  const std::string_view as_bytes{reinterpret_cast<const char*>(&d.b), sizeof d.b};
  switch (d.kind % 8) {
    case 0: bytes[at] = static_cast<char>(bytes[at] ^ (1 << (d.b % 8))); return;
    case 1: overwrite(bytes, at, as_bytes.substr(0, 1)); return;
    case 2: overwrite(bytes, at, as_bytes.substr(0, 2)); return;
    case 3: overwrite(bytes, at, as_bytes); return;
    case 4: overwrite(bytes, page_at(bytes, d.a), std::string(page, '\0')); return;
    case 5: overwrite(bytes, page_at(bytes, d.a), bytes.substr(page_at(bytes, d.b), page)); return;
    case 6: bytes.resize(at); return;
    default: bytes.append(d.a % (4 * page), static_cast<char>(d.b)); return;
  }
}

/// What a node does next: it takes new work and old work.
void work(store::state_store& engine, const fuzz::history& past) {
  auto s = order("new");
  s.reply_to = "shop";
  const auto outcomes = engine.commit({store::submit_task{s, at(60)}, store::claim_tasks{"s2", 100, at(5000)},
                                       store::acquire_lease{"supervisor", "n2", "", workflow::span{1000}, at(5000)}});
  if (outcomes[0].result == store::verdict::applied)
    fuzz::expect(engine.find("new").has_value(), "what was accepted is there");
  for (const auto& t : outcomes[1].tasks)
    fuzz::expect(past.ever.contains("task " + t.id) || t.id == "new", "only tasks that there were are taken", t.id);
  engine.check();
}

void read_and_work(const store::store_options& options, const fuzz::history& past) {
  store::lmdb_engine engine{options};
  const auto now = fuzz::all_of(engine);
  const auto wrong = past.never_told(now);
  fuzz::expect(wrong.empty(), "what is told was once true", wrong);
  const bool is_reported = !engine.damaged().empty() || !engine.check().faults.empty();
  fuzz::expect(is_reported || past.knows(now), "what is lost is reported", past.changed_in(now));
  if (!is_reported)
    work(engine, past);
}

} // namespace

void fuzz::try_input(std::string_view input) {
  auto bytes = base().bytes;
  for (const auto& d : damages_in(input))
    inflict(bytes, d);
  auto options = small_options(scratch_folder() / "store");
  set_reserve(options, 1 << 20);
  lay_down(options.path, bytes);
  try {
    read_and_work(options, base().past);
  } catch (const store::store_error& e) {
    expect(e.what()[0] != '\0', "a refusal says why");
  }
}
