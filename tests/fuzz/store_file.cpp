// A store whose data file was damaged while nobody had it open, in any way: it is refused with what to do, or what it
// tells was once true, and what it lost or has from before is reported. The input is a list of damages, each a kind and
// two 32-bit numbers.

#include "store/engine/lmdb_engine.hpp"
#include "tests/fuzz/support/damage.hpp"
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

std::size_t page_at(const std::string& bytes, std::uint32_t n) {
  return n % (bytes.size() / page) * page;
}

void inflict(std::string& bytes, const fuzz::damage& d) {
  if (bytes.size() < page)
    return;
  const auto at = d.a % bytes.size();
  switch (d.kind % 8) {
    case 0: fuzz::flip_bit(bytes, at, d.b); return;
    case 1: fuzz::overwrite(bytes, at, d.b_as_bytes().substr(0, 1)); return;
    case 2: fuzz::overwrite(bytes, at, d.b_as_bytes().substr(0, 2)); return;
    case 3: fuzz::overwrite(bytes, at, d.b_as_bytes()); return;
    case 4: fuzz::overwrite(bytes, page_at(bytes, d.a), std::string(page, '\0')); return;
    case 5: fuzz::overwrite(bytes, page_at(bytes, d.a), bytes.substr(page_at(bytes, d.b), page)); return;
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
  if (outcomes[0].result == store::write_status::applied)
    fuzz::expect(engine.find("new").has_value(), "what was accepted is there");
  for (const auto& t : outcomes[1].as<store::claim_result>().tasks)
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
  for (const auto& d : fuzz::damages_in(input))
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
