// A task that was written and read again is the same to the rules as one that never left memory.

#include "tests/support/property.hpp"
#include "tests/support/workflow/random_workflow.hpp"
#include "tests/support/workflow/scenario.hpp"

#include "store/records/record.hpp"

using namespace steadfast;
using namespace steadfast::workflow;
using namespace steadfast::tests;

TEST_CASE("property: the same events from a restored task give the same result") {
  holds(100, 400, [] {
    chooser choose{some_choices()};
    const auto d = random_definition(choose);
    auto t = make_task(submission_of(d), d, start);
    auto now = start;
    while (!choose.is_used_up()) {
      now = random_moment(choose, t, d, now);
      const auto e = random_event(choose, t);
      const auto restored = store::decode<task>(store::encode(t));
      RC_ASSERT(restored == t);
      const auto a = apply(t, d, e, now);
      const auto b = apply(restored, d, e, now);
      RC_ASSERT(a.result == b.result);
      RC_ASSERT(a.reason == b.reason);
      RC_ASSERT(a.next == b.next);
      RC_ASSERT(texts_of(a.commands) == texts_of(b.commands));
      t = a.next;
    }
  });
}
