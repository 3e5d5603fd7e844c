#pragma once

#include "store/contract/state_store.hpp"
#include "store/lmdb/schema.hpp"
#include "store/records/record.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

// What the parts of a check have in common, and those that need no task: tables that go together by themselves.

namespace steadfast::store {

class table_check {
public:
  /// REQUIRES: both outlive it.
  table_check(const lmdb::transaction& seen, const tables& there) : txn{seen}, in{there} {}

  void fault(const std::string& what) {
    if (report.faults.size() < faults_max)
      report.faults.push_back(what);
  }

  void expect(bool holds, const std::string& what) {
    if (!holds)
      fault(what);
  }

  template <class T>
  std::optional<T> record(const lmdb::cursor& c, const std::string& what) {
    ++report.records;
    try {
      return decode_record<T>(c.key(), c.value());
    } catch (const damaged_record& e) {
      fault(what + ": " + e.what());
      return std::nullopt;
    }
  }

  template <class F>
  void each(lmdb::table t, F f) {
    lmdb::cursor c{txn, t};
    for (bool more = c.first(); more; more = c.next())
      f(c);
  }

  bool has(lmdb::table t, std::string_view k) const { return txn.get(t, k).has_value(); }

  const lmdb::transaction& txn;
  const tables& in;
  check_report report;

private:
  static constexpr std::size_t faults_max = 1000;
};

/// Each event has its end and its id, and each of these its event.
void check_events(table_check& of);
/// Each schedule that has a next moment stands under it, and nothing else does.
void check_schedules(table_check& of);
/// The highest number of any.
std::uint64_t check_alerts(table_check& of);
void check_incidents(table_check& of);
void check_bulk_acts(table_check& of);

} // namespace steadfast::store
