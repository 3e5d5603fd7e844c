#pragma once

#include "store/postgres/schema.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

// Whether a server is set up so that a store on it keeps what it promises.

namespace steadfast::store::postgres {

/// A standby, as the primary sees it.
struct standby_reading {
  std::string name;
  bool is_streaming = false;
  bool is_waited_for = false;    ///< commits wait for it: it is synchronous, or one of a quorum
  std::int64_t bytes_behind = 0; ///< how much it has not written to its disk yet
};

struct server_readings {
  std::int64_t version = 0; ///< as server_version_num: 150018 is 15.18
  /// By name: what applies to a session that sets nothing itself, in the unit that pg_settings names.
  std::map<std::string, std::string> settings;
  std::vector<standby_reading> standbys;
  bool may_see_standbys = true;

  std::string role;
  std::vector<std::string> powers;       ///< rights of the role that a store has no use for, as words after "may"
  std::vector<std::string> more_schemas; ///< that the role owns, besides that of the store
  bool owns_schema = true;

  bool is_encrypted = true; ///< or the server is on this machine
  found_store store;
  std::vector<std::string> with_store{}; ///< servers that take writes and have a store in the schema, the newest first
};

struct doctor_finding {
  bool is_critical = false; ///< commits may be lost, or none can be made; otherwise it is advice
  std::string what;
  std::string cure;

  bool operator==(const doctor_finding&) const = default;
};

/// The critical ones first. Empty: nothing is wrong.
std::vector<doctor_finding> doctor_findings(const server_readings& r, const std::string& schema);

/// Throws store_error.
server_readings read_server(connection& c, const std::string& schema);

} // namespace steadfast::store::postgres
