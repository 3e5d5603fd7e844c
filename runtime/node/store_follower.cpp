#include "runtime/node/store_follower.hpp"

#include "steadfast/node_error.hpp"
#include "store/postgres/succession.hpp"
#include "workflow/supervision/shares.hpp"

#include <algorithm>
#include <utility>

namespace steadfast {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds ask_again_after{1000};     ///< whether somebody waits
constexpr milliseconds balance_again_after{2000}; ///< likewise, for one that has fewer

} // namespace

store_follower::store_follower(store::postgres_store_options o, std::string node, store_turns& turns,
                               partition_host host)
    : between_looks_{store::postgres::between_looks(o.lease)},
      node_{std::move(node)},
      turns_{turns},
      host_{std::move(host)},
      waiting_{std::move(o), clock::now},
      seats_(1) {}

std::uint32_t store_follower::count() const {
  return static_cast<std::uint32_t>(
    std::count_if(seats_.begin(), seats_.end(), [](const seat& s) { return s.store || s.taken; }));
}

std::string store_follower::name_of(std::uint32_t partition) const {
  return seats_.size() == 1 ? "the store" : "partition " + std::to_string(partition) + " of the store";
}

// ---- taking ----

store_partitions store_follower::take_at_start(const store::wait_for_turn& wait) {
  seats_[0].turn = waiting_.wait_for(0);
  seats_[0].turn->look_first(); // a mistake in the configuration is told at once
  seats_.resize(seats_[0].turn->partitions());
  for (;;) {
    look_at_all();
    const bool is_known = std::all_of(seats_.begin(), seats_.end(),
                                      [](const seat& s) { return s.store || (!s.taken && !s.holder.empty()); });
    if (is_known)
      break;
    if (!wait(between_looks_, {trouble_, {}, static_cast<std::uint32_t>(seats_.size())}))
      return {};
  }
  store_partitions all;
  for (const auto& s : seats_) {
    all.push_back(s.store);
    if (!s.store)
      holder_ = s.holder;
  }
  return all;
}

void store_follower::look_at_all() {
  for (std::uint32_t i = 0; i < seats_.size(); ++i)
    if (!seats_[i].store)
      look_at(i);
  const auto troubled =
    std::find_if(seats_.begin(), seats_.end(), [](const seat& s) { return !s.store && !s.trouble.empty(); });
  note_trouble(troubled == seats_.end() ? std::string{} : troubled->trouble);
}

void store_follower::look_at(std::uint32_t partition) {
  auto& s = seats_[partition];
  if (!s.taken && s.is_open && *s.is_open)
    return; // somebody reads it still: its folder is not free
  s.trouble.clear();
  try {
    if (!s.taken) {
      if (!s.turn)
        s.turn = waiting_.wait_for(partition);
      store::no_turn why_not;
      const bool wants = !takes_no_more_ || s.holder.empty();
      auto engine = s.turn->look({count(), wants, true}, why_not);
      if (why_not.partitions != seats_.size())
        throw node_error{"the store has another number of partitions now: start the node again"};
      s.holder = why_not.holder;
      if (!engine) {
        if (const auto who = parse_store_holder(s.holder); who && who->node != node_) // else its former life
          host_.is_elsewhere(partition, *who);
        return;
      }
      s.turn.reset();
      s.holder.clear();
      s.taken = opened(s, std::move(engine));
    }
    if (const auto why = host_.prepare({partition, static_cast<std::uint32_t>(seats_.size())}, *s.taken);
        !why.empty()) {
      s.trouble = why;
      return;
    }
    s.store = std::exchange(s.taken, nullptr);
    if (is_running_) {
      host_.log("info", "node " + node_ + " has " + name_of(partition) + " now");
      host_.take(partition, s.store);
    }
  } catch (const store::store_error& e) { // somebody was faster, or the server is away
    if (e.is_fatal())
      throw;
    s.holder.clear();
    s.trouble = e.what();
  }
}

std::shared_ptr<store::local_store> store_follower::opened(seat& s,
                                                           std::unique_ptr<store::postgres_engine> engine) const {
  s.is_open = std::make_shared<std::atomic<bool>>(true);
  auto real = host_.wrap(std::shared_ptr<store::local_store>{std::move(engine)});
  auto* const seen = real.get();
  return {seen, [is_open = s.is_open, inner = std::move(real)](store::local_store*) mutable {
            inner.reset();
            *is_open = false;
          }};
}

void store_follower::note_trouble(const std::string& why) {
  if (why == std::exchange(trouble_, why))
    return;
  host_.log("warning", why.empty() ? "PostgreSQL can be asked again whether this node can have the store"
                                   : "this node cannot have the store now: " + why);
}

// ---- following ----

void store_follower::start(std::function<void(const std::string& why)> on_fatal) {
  is_running_ = true;
  thread_ = std::jthread{[this, on_fatal = std::move(on_fatal)](const std::stop_token& end) {
    try {
      follow(end);
    } catch (const std::exception& e) {
      on_fatal(e.what());
    }
  }};
}

void store_follower::follow(const std::stop_token& end) {
  do {
    look_at_all();
    let_go_some(end);
  } while (turns_.wait_to_look(until_next_look(), end));
}

milliseconds store_follower::until_next_look() const {
  const bool has_all = std::all_of(seats_.begin(), seats_.end(), [](const seat& s) { return s.store != nullptr; });
  if (!has_all)
    return between_looks_;
  return turns_.is_leaving() ? ask_again_after
         : seats_.size() > 1 ? balance_again_after
                             : milliseconds{3'600'000}; // it is told when it is to leave
}

void store_follower::let_go_some(const std::stop_token& end) {
  const bool is_told_now = turns_.was_told_to_leave();
  const bool is_leaving = turns_.is_leaving();
  if ((!is_leaving && count() < 2) || (clock::now() < ask_again_ && !is_told_now))
    return;
  bool is_awaited = true;
  for (auto i = static_cast<std::uint32_t>(seats_.size()); i-- > 0;) { // the first one last: with it turns move, too
    if (!seats_[i].store)
      continue;
    const auto waiting = seats_[i].store->awaited_by();
    if (is_leaving ? !waiting.empty() : workflow::should_let_go(count(), waiting)) {
      let_go(i, end);
      if (!is_leaving)
        return; // who waits has more now
    } else if (is_leaving) {
      is_awaited = false;
    } else {
      break; // who waits for one waits for all that he has not
    }
  }
  ask_again_ = clock::now() + (is_leaving ? ask_again_after : balance_again_after);
  if (is_leaving)
    is_awaited ? turns_.note_left() : turns_.note_nobody_waits();
}

void store_follower::let_go(std::uint32_t partition, const std::stop_token& end) {
  auto& s = seats_[partition];
  host_.log("info", "another node waits for " + name_of(partition) + ": node " + node_ + " lets it go");
  s.store->prepare_to_let_go([&](auto time) { return turns_.wait_for_readers(time, end); });
  host_.leave(partition, [&s] { s.store->let_go(); });
  s.store.reset();
}

} // namespace steadfast
