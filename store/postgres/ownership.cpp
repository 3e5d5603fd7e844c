#include "store/postgres/ownership.hpp"

namespace steadfast::store::postgres {
namespace {

constexpr const char* fence_failed = "22012"; ///< division by zero
constexpr const char* lock_not_free = "55P03";

bool has_lost(const shown_partition& shown, const acknowledged& known) {
  return shown.epoch < known.epoch || shown.commit < known.commit;
}

std::string by_whom(const shown_partition& shown) {
  return shown.holder.empty() ? "nobody has it, under epoch " + std::to_string(shown.epoch)
                              : shown.holder + " has it, under epoch " + std::to_string(shown.epoch);
}

std::string loss_told(const shown_partition& shown, const acknowledged& known) {
  return "this server has lost commits that were acknowledged: it shows epoch " + std::to_string(shown.epoch)
         + " and commit " + std::to_string(shown.commit) + ", and there were epoch " + std::to_string(known.epoch)
         + " and commit " + std::to_string(known.commit)
         + ". Nothing is written to it. Was a standby promoted that was not synchronous, or an older backup restored?"
           " Promote the server that has them, or restore a newer backup. If they are gone for good, stop all nodes,"
           " remove the file `known_commits` in the folder of the store (store.path) of each, and start them again:"
           " they then continue from what this server has";
}

} // namespace

std::string lost_by_server(const shown_partition& shown, const acknowledged& known) {
  return has_lost(shown, known) ? loss_told(shown, known) : std::string{};
}

take_answer may_take(const shown_partition& shown, std::int64_t seen, const acknowledged& known) {
  if (has_lost(shown, known))
    return {taking::server_lost, loss_told(shown, known)};
  if (shown.epoch != seen)
    return {taking::moved, by_whom(shown)};
  return {taking::taken, {}};
}

take_answer may_take_again(const shown_partition& shown, const std::string& me, const acknowledged& known) {
  // Two servers can give the same epoch to two: the one that lost the first of them does.
  const bool is_other_with_our_epoch = shown.epoch == known.epoch && !shown.holder.empty() && shown.holder != me;
  if (has_lost(shown, known) || is_other_with_our_epoch)
    return {taking::server_lost, loss_told(shown, known)};
  if (shown.holder != me)
    return {taking::moved, by_whom(shown)};
  return {taking::taken, {}};
}

take_answer what_was_taken(transaction_end end, const reply& r, std::size_t rows) {
  switch (end) {
    case transaction_end::made:
      if (rows == 1)
        return {taking::taken, {}};
      return {taking::moved, "somebody else was faster"};
    case transaction_end::refused:
      if (r.why_not->code == lock_not_free)
        return {
          taking::busy,
          "a commit is under way that the server does not end; if this lasts, the standby that commits wait for is "
          "away: `steadfast store doctor` tells"};
      break;
    case transaction_end::unknown: break;
  }
  return {taking::unreachable, why(r)};
}

take_answer is_still_taken(const shown_partition& shown, const std::string& me, const acknowledged& known) {
  if (has_lost(shown, known))
    return {taking::server_lost, loss_told(shown, known)};
  if (shown.epoch != known.epoch || shown.holder != me)
    return {taking::moved, by_whom(shown)};
  return {taking::taken, {}};
}

resolve_answer of_taking(const take_answer& t) {
  switch (t.result) {
    case taking::moved: return {resolving::lost, t.why};
    case taking::busy: return {resolving::busy, t.why};
    case taking::server_lost: return {resolving::server_lost, t.why};
    case taking::taken:
    case taking::unreachable: break;
  }
  return {resolving::unreachable, t.why};
}

resolve_answer what_became_of_it(std::int64_t shown_commit, std::int64_t in_doubt, const acknowledged& known) {
  if (shown_commit > known.commit && shown_commit <= known.commit + in_doubt)
    return {resolving::made, {}};
  if (shown_commit == known.commit)
    return {resolving::not_made, {}};
  if (shown_commit < known.commit)
    return {resolving::server_lost, loss_told({known.epoch, {}, shown_commit}, known)};
  return {resolving::server_lost, "this server shows commit " + std::to_string(shown_commit)
                                    + ", which nobody has made: there were " + std::to_string(known.commit)
                                    + (in_doubt > 0 ? ", and " + std::to_string(in_doubt) + " in doubt" : std::string{})
                                    + ". Nothing is written to it. Is it another store, or a restored backup?"
                                      " If it is the right one, restart all nodes"};
}

bool is_part_of(const read_ahead& read, const read_ahead& taken) {
  return read.epoch == taken.epoch && read.until == taken.until && read.commit <= taken.commit;
}

append_answer what_was_appended(const reply& r) {
  switch (end_of(r)) {
    case transaction_end::made: return {appending::applied, {}, false};
    case transaction_end::unknown: return {appending::unknown, why(r), false};
    case transaction_end::refused: break;
  }
  if (r.why_not->statement == 0 && r.why_not->code == fence_failed)
    return {appending::lost, "another owner has the partition", false};
  return {appending::not_made, why(r), is_passing(*r.why_not)};
}

} // namespace steadfast::store::postgres
