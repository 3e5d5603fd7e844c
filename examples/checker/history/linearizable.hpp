#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace checker {

/// When an operation began and was answered, as places in one order of all such events. One without an answer may take
/// effect at any time after it began.
struct span_of_call {
  static constexpr std::size_t unanswered = std::numeric_limits<std::size_t>::max();
  std::size_t began = 0;
  std::size_t ended = unanswered;
};

/// What one thing, such as a task or a lease, may do when it is used by one client after the other:
///
///     struct model {
///       using state = ...;                    // equality; hash_of(state) next to it
///       static state initial();
///       static std::optional<state> step(const state&, const operation&); // nothing: that cannot be its answer
///       static bool are_alike(const operation&, const operation&); // two without an answer: each does as the other
///     };
///
/// `operation` has a member `span`. True if each of the operations can be given a moment between its beginning and its
/// end such that, in the order of these moments, the model could have given all of the answers (Herlihy and Wing's
/// linearizability). Of operations without an answer that are alike the one that began first is placed first: the other
/// could take its place, and which of many repetitions took effect is not searched for.
///
/// The search of Wing and Gong (Testing and verifying concurrent objects, 1993) with the memory of Lowe (Testing for
/// linearizability, 2017): the same operations in another order that led to the same state are not
/// tried again. Time grows with the number of operations, and exponentially with how many are under way at once in a
/// history that is not linearizable; `tries_max` bounds it, and a search that is given up is counted as linearizable.
template <class Model, class Operation>
class linearizability {
public:
  static constexpr std::size_t tries_default = 5'000'000;

  explicit linearizability(const std::vector<Operation>& all, std::size_t tries_max = tries_default)
      : all_{all},
        tries_left_{tries_max},
        is_placed_((all.size() + 63) / 64),
        events_(events_of(all)) {
    find_alike();
  }

  bool holds() {
    auto state = Model::initial();
    auto at = events_.front().next;
    while (events_.front().next != end_) {
      if (tries_left_ == 0)
        return true;
      --tries_left_;
      if (at == end_)
        return true; // what is left was never answered, and need not have taken place
      if (events_[at].is_call) {
        if (auto next = place(at, state)) {
          placed_.emplace_back(at, std::exchange(state, std::move(*next)));
          at = events_.front().next;
        } else {
          at = events_[at].next;
        }
        continue;
      }
      // An answer has come, and its operation found no place before it: the last one must be placed elsewhere.
      if (placed_.empty())
        return false;
      std::tie(at, state) = std::move(placed_.back());
      placed_.pop_back();
      take_back(at);
      at = events_[at].next;
    }
    return true;
  }

private:
  using link = std::size_t;
  using set_of_operations = std::vector<std::uint64_t>;

  /// The beginning or the end of an operation, in a list of those that have no place yet.
  struct event {
    std::size_t operation = 0;
    bool is_call = false;
    link other = 0; ///< of a call: its answer; 0: none comes
    link previous = 0;
    link next = 0;
  };
  struct way {
    set_of_operations placed;
    typename Model::state state;
  };

  std::vector<event> events_of(const std::vector<Operation>& all) {
    std::vector<std::pair<std::size_t, event>> sorted;
    for (std::size_t i = 0; i < all.size(); ++i) {
      sorted.emplace_back(all[i].span.began, event{i, true});
      if (all[i].span.ended != span_of_call::unanswered)
        sorted.emplace_back(all[i].span.ended, event{i, false});
    }
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });

    std::vector<event> linked(1); // the first one is no event, only where the list begins
    std::vector<link> calls(all.size());
    for (auto& [when, e] : sorted) {
      if (e.is_call)
        calls[e.operation] = linked.size();
      else
        linked[calls[e.operation]].other = linked.size();
      linked.push_back(e);
    }
    end_ = linked.size();
    for (link i = 0; i < end_; ++i) {
      linked[i].previous = i == 0 ? 0 : i - 1;
      linked[i].next = i + 1;
    }
    return linked;
  }

  /// Of each operation without an answer the next earlier one that is like it.
  void find_alike() {
    alike_before_.assign(all_.size(), none);
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < all_.size(); ++i)
      if (all_[i].span.ended == span_of_call::unanswered)
        open.push_back(i);
    std::stable_sort(open.begin(), open.end(),
                     [this](auto a, auto b) { return all_[a].span.began < all_[b].span.began; });
    for (std::size_t n = 1; n < open.size(); ++n)
      for (auto before = n; before-- > 0;)
        if (Model::are_alike(all_[open[before]], all_[open[n]])) {
          alike_before_[open[n]] = open[before];
          break;
        }
  }

  bool is_placed(std::size_t operation) const { return (is_placed_[operation / 64] >> (operation % 64) & 1) != 0; }

  /// The resulting state, if the operation can come next and this was not tried before.
  std::optional<typename Model::state> place(link call, const typename Model::state& before) {
    const auto operation = events_[call].operation;
    if (const auto first = alike_before_[operation]; first != none && !is_placed(first))
      return std::nullopt;
    auto after = Model::step(before, all_[operation]);
    // An operation that was never answered, and would change nothing, need not have taken place.
    const bool is_idle = events_[call].other == 0 && after == before;
    if (!after || is_idle)
      return std::nullopt;
    flip(operation);
    const auto [from, to] = tried_.equal_range(hash_of(is_placed_, *after));
    for (auto i = from; i != to; ++i) {
      if (i->second.placed == is_placed_ && i->second.state == *after) {
        flip(operation);
        return std::nullopt;
      }
    }
    tried_.emplace(hash_of(is_placed_, *after), way{is_placed_, *after});
    unlink(call);
    if (events_[call].other != 0)
      unlink(events_[call].other);
    return after;
  }

  void take_back(link call) {
    flip(events_[call].operation);
    if (events_[call].other != 0)
      link_again(events_[call].other);
    link_again(call);
  }

  void flip(std::size_t operation) { is_placed_[operation / 64] ^= std::uint64_t{1} << (operation % 64); }

  void unlink(link i) {
    events_[events_[i].previous].next = events_[i].next;
    if (events_[i].next != end_)
      events_[events_[i].next].previous = events_[i].previous;
  }

  void link_again(link i) {
    events_[events_[i].previous].next = i;
    if (events_[i].next != end_)
      events_[events_[i].next].previous = i;
  }

  static std::uint64_t hash_of(const set_of_operations& placed, const typename Model::state& s) {
    std::uint64_t h = Model::hash_of(s);
    for (const auto word : placed)
      h = (h ^ word) * 0x9E3779B97F4A7C15U + (h >> 29);
    return h;
  }

  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  const std::vector<Operation>& all_;
  std::size_t tries_left_;
  std::vector<std::size_t> alike_before_; ///< by operation
  set_of_operations is_placed_;
  link end_ = 0;
  std::vector<event> events_;
  std::vector<std::pair<link, typename Model::state>> placed_; ///< in their order, with the state before each
  std::unordered_multimap<std::uint64_t, way> tried_;
};

} // namespace checker
