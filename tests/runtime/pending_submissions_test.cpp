#include "runtime/control/pending_submissions.hpp"

#include "actors/protocol/messages.hpp"
#include "actors/protocol/type_ids.hpp"
#include "tests/support/comes_true.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>

#include <catch2/catch.hpp>

#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

using namespace steadfast;
using namespace std::chrono_literals;
using actors::receipt;
using strings = std::vector<std::string>;

namespace {

using submission = actors::boxed<workflow::submission>;

struct message_types : caf::actor_system_config {
  message_types() { add_message_types<caf::id_block::steadfast>(); }
};

/// A gateway that answers when a test says so.
struct slow_gateway {
  struct call {
    std::string id;
    caf::response_promise answer;
  };

  explicit slow_gateway(caf::actor_system& sys)
      : handle{sys.spawn([this](caf::event_based_actor* self) -> caf::behavior {
          return {[this, self](const submission& s) {
                    const std::lock_guard lock{mutex};
                    calls.push_back({s->id, self->make_response_promise()});
                    return calls.back().answer;
                  },
                  [this](const receipt& r) { // to itself: the next open call of that id gets it
                    const std::lock_guard lock{mutex};
                    for (auto& c : calls)
                      if (c.id == r.id && c.answer.pending())
                        return c.answer.deliver(r);
                  }};
        })} {}
  ~slow_gateway() { actors::exit_now(handle); }

  strings asked() {
    const std::lock_guard lock{mutex};
    strings ids;
    for (const auto& c : calls)
      ids.push_back(c.id);
    return ids;
  }
  /// The oldest call of that id is answered.
  void answer(const std::string& id, std::uint64_t number) const {
    receipt r;
    r.id = id;
    r.number = number;
    actors::tell_from_outside(handle, r);
  }

  std::mutex mutex;
  std::vector<call> calls;
  caf::actor handle;
};

/// What each submission was told, in the order in which they were.
struct told_submitters {
  void submit(pending_submissions& to, const std::string& id, const std::string& who) {
    workflow::submission s;
    s.id = id;
    to.submit(submission{s}, [this, who](const receipt* r) {
      const std::lock_guard lock{mutex};
      all.push_back(who + (r == nullptr ? " nothing" : " " + std::to_string(r->number)));
    });
  }
  strings told() {
    const std::lock_guard lock{mutex};
    return all;
  }

  std::mutex mutex;
  strings all;
};

struct scene {
  explicit scene(workflow::span limit) : to{sys, caf::actor_cast<actors::gateway_actor>(gateway.handle), limit} {}

  bool asks(const strings& ids) {
    return tests::comes_true([&] { return gateway.asked() == ids; });
  }
  bool tells(const strings& all) {
    return tests::comes_true([&] { return people.told() == all; });
  }

  message_types types;
  caf::actor_system sys{types};
  told_submitters people;
  slow_gateway gateway{sys};
  pending_submissions to;
};

} // namespace

TEST_CASE("each submission gets the receipt of its own, also where several of one id are on their way") {
  scene s{20s};
  s.people.submit(s.to, "a", "ann");
  s.people.submit(s.to, "a", "ben");
  s.people.submit(s.to, "b", "cyd");
  s.people.submit(s.to, "a", "dee");
  REQUIRE(s.asks({"a", "b"}));
  s.gateway.answer("b", 7);
  REQUIRE(s.tells({"cyd 7"}));
  s.gateway.answer("a", 1);
  REQUIRE(s.tells({"cyd 7", "ann 1"}));
  REQUIRE(s.asks({"a", "b", "a"}));
  s.gateway.answer("a", 2);
  REQUIRE(s.asks({"a", "b", "a", "a"}));
  s.gateway.answer("a", 3);
  CHECK(s.tells({"cyd 7", "ann 1", "ben 2", "dee 3"}));
}

TEST_CASE("a submission without an answer is told so, and an answer that is late is not taken for that of the next") {
  scene s{100ms};
  s.people.submit(s.to, "a", "ann");
  REQUIRE(s.tells({"ann nothing"}));
  s.people.submit(s.to, "a", "ben");
  REQUIRE(s.asks({"a", "a"}));
  s.gateway.answer("a", 1); // which is Ann's
  REQUIRE(s.tells({"ann nothing", "ben nothing"}));
  s.gateway.answer("a", 2); // Ben's, and late too
  s.people.submit(s.to, "a", "cyd");
  REQUIRE(s.asks({"a", "a", "a"}));
  s.gateway.answer("a", 3);
  CHECK(s.tells({"ann nothing", "ben nothing", "cyd 3"}));
}

TEST_CASE("submissions are told that nobody answers when the gateway has gone, or the node ends") {
  scene s{20s};
  {
    pending_submissions ending{s.sys, caf::actor_cast<actors::gateway_actor>(s.gateway.handle), 20s};
    s.people.submit(ending, "a", "ann");
    REQUIRE(s.asks({"a"}));
  }
  REQUIRE(s.tells({"ann nothing"}));
  s.people.submit(s.to, "b", "ben");
  REQUIRE(s.asks({"a", "b"}));
  actors::exit_now(s.gateway.handle);
  REQUIRE(s.tells({"ann nothing", "ben nothing"}));
  s.people.submit(s.to, "c", "cyd");
  CHECK(s.tells({"ann nothing", "ben nothing", "cyd nothing"}));
}
