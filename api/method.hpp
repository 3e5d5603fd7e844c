#pragma once

#include "api/error.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace steadfast::api {

/// The kind of a value.
enum class kind : std::uint8_t {
  text,
  number,   ///< an integer
  fraction, ///< of a result: any number
  flag,     ///< true or false
  moment,   ///< of a parameter, milliseconds since 1970; of a result, RFC 3339 in UTC
  value,    ///< any JSON value
  texts,    ///< a list of texts
  places,   ///< an object of texts: `{"/customer": "c-77"}`
  place,    ///< where a page begins, as the page before gave it: a number, or a text
  object,
  list, ///< of objects
};

struct parameter {
  std::string name;
  kind is = kind::text;
  std::string meaning;
  bool is_required = false;
  nlohmann::json absent{}; ///< the default; null: there is none
  // Of a number.
  std::int64_t min = 0;
  std::uint64_t max = std::numeric_limits<std::uint64_t>::max();
  std::size_t size_max = std::numeric_limits<std::size_t>::max(); ///< bytes of a text
  std::vector<std::string> choices{};                             ///< of a text, or of each of a list; empty: any

  // So that a table can be read as sentences.
  parameter required() &&;
  parameter otherwise(nlohmann::json value) &&;
  parameter between(std::int64_t least, std::uint64_t most) &&;
  parameter up_to_bytes(std::size_t most) &&;
  parameter one_of(std::vector<std::string> names) &&;
};

parameter text(std::string name, std::string meaning);
/// From 0 to the largest number of 64 bits.
parameter number(std::string name, std::string meaning);
/// False when it is not given.
parameter flag(std::string name, std::string meaning);
parameter moment(std::string name, std::string meaning);
parameter value(std::string name, std::string meaning);
parameter of_kind(kind is, std::string name, std::string meaning);

/// One of a result.
struct field {
  std::string name;
  kind is = kind::text;
  std::string meaning{};
  bool may_lack = false; ///< only some results have it
  bool may_be_null = false;
  std::string of{}; ///< the schema of an object, of each of a list, of a text or of each of some; empty: any
};

// So that these are read as sentences, too.
field maybe(field f);   ///< only some have it
field or_null(field f); ///< which may be null
field text_of(std::string name, std::string schema, std::string meaning);
field object_of(std::string name, std::string schema, std::string meaning = {});
field list_of(std::string name, std::string schema, std::string meaning = {});

/// What answers have, described once: an object of fields, or a text that is one of a few.
struct schema {
  std::string name;
  std::string meaning;
  std::vector<field> fields{};
  std::vector<std::string> texts{}; ///< empty: it is an object
};

/// All that fields name, and what is in answers to no method.
const std::vector<schema>& schemas();
/// Throws std::out_of_range when there is none.
const schema& schema_of(std::string_view name);

/// A request that a node answers, however it arrives.
struct method {
  std::string name;
  std::string meaning;
  std::vector<parameter> parameters{};
  std::vector<field> result{};
  std::vector<error::code> errors{}; ///< besides invalid_params, timed_out and fault, which every method has

  /// Null: it has none of that name.
  const parameter* find(std::string_view parameter_name) const;
  std::vector<std::string> parameter_names() const;
};

/// All methods, each once. No other is answered.
const std::vector<method>& methods();

/// Throws std::out_of_range when there is none.
const method& method_of(std::string_view name);

} // namespace steadfast::api
