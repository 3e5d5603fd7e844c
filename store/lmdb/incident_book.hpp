#pragma once

#include "store/contract/state_store.hpp"
#include "store/lmdb/lmdb.hpp"
#include "store/lmdb/schema.hpp"
#include "store/verbs/decide_note.hpp"
#include "store/verbs/decide_outward.hpp"
#include "workflow/task/partition.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace steadfast::store {

/// Which alerts are which incident, in one transaction: reads and puts what decide_incident.hpp says. An incident that
/// many alerts join or leave is written once, by write().
class incident_book {
public:
  /// REQUIRES: both outlive it.
  incident_book(lmdb::transaction& txn, const tables& in, const workflow::partition& numbers)
      : txn_{txn},
        in_{in},
        numbers_{numbers} {}

  /// The incident with that signature, or a new one if there is none, or none that it goes on with. `number`: that one,
  /// if it is there.
  void join(std::uint64_t alert, const raised_alert& x, std::optional<std::uint64_t> number = std::nullopt);
  /// The last alert that leaves closes the incident. Does nothing when the alert is in none.
  void leave(std::uint64_t alert, std::uint64_t task_number, workflow::instant now);
  std::optional<std::uint64_t> incident_of(std::uint64_t alert) const;
  bool is_in_one(std::uint64_t alert) const { return incident_of(alert).has_value(); }

  /// Null: there is none, or its record is damaged. Changes count when write() is called.
  incident* find(std::uint64_t number);
  /// Numbers of alerts of it that hold, the oldest first, those after `after`.
  std::vector<std::uint64_t> alerts_of(std::uint64_t incident, std::uint64_t after, std::size_t max) const;
  /// Those that are open and made by report_conditions.
  std::vector<incident> open_conditions() const;
  /// Numbers of those that are open and about that workflow, whose cause begins so.
  std::vector<std::uint64_t> open_ones(std::string_view kind, std::string_view workflow,
                                       std::string_view cause = {}) const;

  /// Those that have begun or ended since the last call.
  std::vector<incident_turn> take_turns() { return std::exchange(turns_, {}); }

  /// In the place of the one with that number. Counts when write() is called.
  void put(const incident& x) { changed_[x.number] = x; }
  void write();

private:
  incident& to_join(const raised_alert& x);
  incident& open(const raised_alert& x);
  std::uint64_t next_number();
  void drop_old();
  template <class Condition>
  std::vector<incident> open_where(Condition holds) const;
  std::optional<incident> as_it_is(const lmdb::cursor& c) const;
  /// An alert of that task, other than this one, is in the incident.
  bool is_there_already(std::uint64_t incident, std::uint64_t task_number, std::uint64_t but_for) const;

  lmdb::transaction& txn_;
  const tables& in_;
  const workflow::partition numbers_;
  std::map<std::uint64_t, incident> changed_; ///< and looked at
  std::uint64_t last_number_ = 0;             ///< 0: not known yet
  std::vector<incident_turn> turns_;
};

/// What table `incident_keys` knows a signature by.
std::array<std::uint64_t, 2> digest_of(const workflow::incident_signature& s);

} // namespace steadfast::store
