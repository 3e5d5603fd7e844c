#pragma once

#include "store/postgres/connection.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>

namespace steadfast::bench {

/// A new store in a schema of its own on a PostgreSQL server, which is dropped at the end.
class scratch_schema {
public:
  /// Throws failure or store_error.
  scratch_schema(const std::string& url, std::uint32_t partitions);
  ~scratch_schema();
  scratch_schema(const scratch_schema&) = delete;
  scratch_schema& operator=(const scratch_schema&) = delete;

  const std::string& name() const { return where_.schema; }
  /// Its version, and the settings that decide what a commit costs.
  std::string about();
  /// Of the whole server until now: "wal_bytes" and, if its processes can be seen here, "cpu_seconds". Throws
  /// store_error.
  nlohmann::json figures();

private:
  store::postgres::place where_;
  store::postgres::connection session_;
};

} // namespace steadfast::bench
