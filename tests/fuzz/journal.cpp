// The changes that an entry of a journal tells of, and the patches in them: the input as it is, on an empty store, and as two
// values with a zero byte between them, of which the one is made of the other.

#include "store/change_log.hpp"
#include "store/frame.hpp"
#include "store/lmdb_engine.hpp"
#include "store/patch.hpp"
#include "tests/fuzz/support/fuzz.hpp"
#include "tests/fuzz/support/scratch.hpp"
#include "tests/unit/store/support.hpp"

using namespace steadfast;
using namespace steadfast::store;

namespace {

/// An empty store's file.
lmdb::environment& base() {
  static lmdb::environment env = [] {
    const auto options = store::test::small_options(fuzz::scratch_folder() / "store");
    lmdb_engine{options};
    return lmdb::environment{{options.path, 64 << 20, false}};
  }();
  return env;
}

/// Made, and undone again.
void make(std::string_view changes) {
  auto txn = lmdb::transaction::writing(base());
  change_maker{txn}.make(changes);
}

} // namespace

void fuzz::try_input(std::string_view input) {
  try {
    make(input);
  } catch (const damaged_record& e) {
    expect(e.what()[0] != '\0', "a refusal says why");
  } catch (const lmdb::error&) { // a key that no table takes
  }

  auto rest = input;
  const auto before = take_to(rest, '\0');
  std::string patch;
  append_patch(patch, before, rest);
  expect(patched(before, patch) == rest, "a patch makes the one of the other");
  try {
    const auto made = patched(before, rest);
    expect(made.size() <= input.size(), "what a patch makes is no larger than what it was given");
  } catch (const damaged_record&) {
  }
}
