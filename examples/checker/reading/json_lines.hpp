#pragma once

#include <simdjson.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace checker {

/// An input cannot be used; says which and why.
struct unusable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One line of an input, with what it takes to complain about it.
class json_line {
public:
  json_line(simdjson::dom::object fields, std::string where) : fields_{fields}, where_{std::move(where)} {}

  std::string_view text(const char* field) const;          ///< throws when there is none
  std::string_view text_or_empty(const char* field) const; ///< also when null
  std::string_view text_if_any(const char* field) const;   ///< empty also when it is something else
  std::uint64_t number(const char* field) const;
  std::uint64_t number_or_zero(const char* field) const;
  bool has(const char* field) const; ///< and it is not null
  bool flag(const char* field) const;
  std::string json_or_empty(const char* field) const; ///< without blanks; empty also when null
  bool flag_or_false(const char* field) const;
  simdjson::dom::array list_or_empty(const char* field) const;

  /// A moment in ms: a number as it is, or an RFC 3339 text in UTC; false when there is none.
  bool moment(const char* field, std::int64_t& into) const;

  /// The object in that field, if there is one.
  std::optional<json_line> object(const char* field) const;

  /// Calls `visit` for each field and its number.
  template <class F>
  void each_number(F visit) const {
    for (const auto [name, value] : fields_) {
      std::uint64_t number = 0;
      if (value.get(number) != simdjson::SUCCESS)
        complain("field `" + std::string{name} + "` must be a whole number from 0");
      visit(name, number);
    }
  }

  /// The same complaint, about an object inside this line.
  json_line inside(simdjson::dom::element e) const;

  [[noreturn]] void complain(const std::string& what) const;

private:
  simdjson::dom::object fields_;
  std::string where_; ///< "file:line"
};

/// Calls `visit` for each line of the file. A last line that a crash cut off is passed over when `may_be_torn`.
void each_json_line(const std::string& path, bool may_be_torn, const std::function<void(const json_line&)>& visit);

} // namespace checker
