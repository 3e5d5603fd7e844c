#pragma once

#include "store/postgres/schema.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

// Whether a server is set up so that a store on it keeps what it promises.

namespace steadfast::store::postgres {

/// Of a standby, as the primary sees it.
struct standby_reading {
  std::string name;
  bool is_streaming = false;
  bool is_waited_for = false;    ///< by commits: it is synchronous, or one of a quorum
  std::int64_t bytes_behind = 0; ///< that it has not written to its disk
};

struct server_readings {
  std::int64_t version = 0; ///< as server_version_num: 150018 is 15.18
  /// By name; what holds for a session that sets nothing itself, in the unit that pg_settings names.
  std::map<std::string, std::string> settings;
  std::vector<standby_reading> standbys;
  bool may_see_standbys = true;

  std::string role;
  std::vector<std::string> powers;       ///< of the role, that a store has no use for, as words after "may"
  std::vector<std::string> more_schemas; ///< that it owns, besides that of the store
  bool owns_schema = true;

  bool is_encrypted = true; ///< or on this machine
  found_store store;
  std::vector<std::string> with_store{}; ///< servers that take writes and have a store in the schema, the newest first
};

struct doctor_finding {
  bool is_critical = false; ///< commits may be lost, or none can be made; else it is advice
  std::string what;
  std::string cure;

  bool operator==(const doctor_finding&) const = default;
};

/// The critical ones first. Empty: all is as it should be.
std::vector<doctor_finding> doctor_findings(const server_readings& r, const std::string& schema);

/// Throws store_error.
server_readings read_server(connection& c, const std::string& schema);

} // namespace steadfast::store::postgres
