#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// What is sent to the server. Parameters are sent in binary form, so that nothing needs to be escaped.

namespace steadfast::store::postgres {

struct parameter {
  std::uint32_t type; ///< PostgreSQL's OID of the type, which compatible servers share
  std::string bytes;
};

parameter number(std::int64_t value);                         ///< int8
parameter text(std::string_view value);                       ///< text
parameter blob(std::string_view value);                       ///< bytea
parameter numbers(const std::vector<std::int64_t>& values);   ///< int8[]
parameter blobs(const std::vector<std::string_view>& values); ///< bytea[]

/// The number in the bytes of an int2, int4, int8 or bool. Throws store_error for any other length.
std::int64_t number_in(std::string_view bytes);

struct statement {
  std::string sql; ///< one command; $1 is the first parameter
  std::vector<parameter> parameters;
};

} // namespace steadfast::store::postgres
