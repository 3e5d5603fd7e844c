#pragma once

#include "store/postgres/connection.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// The tables of a store. `steadfast store init` makes them and `steadfast store upgrade` changes them; the start of a
// node never does either.

namespace steadfast::store::postgres {

inline constexpr std::int64_t schema_version = 3;
inline constexpr std::int64_t partitions_default = 1;
inline constexpr std::int64_t partitions_max = 1024;

/// What a store says about itself. Fixed when it is made.
struct store_card {
  std::string product;
  std::int64_t version = 0;
  std::string identity; ///< drawn at random when the store is made: no two stores have the same
  std::int64_t partitions = 0;

  bool operator==(const store_card&) const = default;
};

/// What was found where the store should be.
struct found_store {
  bool has_schema = false;
  bool has_tables = false; ///< at least the table with the card
  std::optional<store_card> card;
  std::string why_no_card;   ///< error text of the server
  std::string no_rights_for; ///< the role that may not read the card; empty: it may

  bool operator==(const found_store&) const = default;
};

/// What stands in the card of a store that was moved elsewhere, in place of the product.
std::string product_moved_to(const std::string& where);

/// What is wrong with the store for this build, and what cures it; both empty: it can be used.
struct store_trouble {
  std::string what;
  std::string cure;
};
store_trouble trouble_of(const found_store& found, const std::string& schema);
/// The same in one sentence.
std::string why_not_usable(const found_store& found, const std::string& schema);
/// Why no store can be made there; empty: it can.
std::string why_not_made_here(const found_store& found, const std::string& schema);

/// All that makes a store, as one transaction. `identity` is drawn by the caller.
std::vector<statement> statements_of_init(const std::string& schema, bool has_schema, const std::string& identity,
                                          std::int64_t partitions);

/// All that brings a store of an older version to this one, as one transaction. REQUIRES: it is older.
std::vector<statement> statements_of_upgrade(const store_card& from, const std::string& schema);

/// `which`: 0 or 1; a partition writes its two logs in turn.
std::string log_table(std::int64_t partition, int which);

/// Throws store_error if the server does not answer.
found_store find_store(connection& c, const std::string& schema);

enum class making : std::uint8_t { made, refused, unknown };
struct making_answer {
  making result = making::unknown;
  std::string why;
};
/// `made` means durable. What is unknown is found out by asking again.
making_answer make_store(connection& c, const std::string& schema, const std::string& identity,
                         std::int64_t partitions);
/// Brings the schema of an older release up to this one. Nothing to do counts as made, with `why` saying so.
making_answer upgrade_store(connection& c, const std::string& schema);

} // namespace steadfast::store::postgres
