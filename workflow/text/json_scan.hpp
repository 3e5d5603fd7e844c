#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace steadfast::workflow {

/// Reads a JSON text from beginning to end. REQUIRES: is_json(text), and calls that fit what comes next.
class json_scan {
public:
  explicit json_scan(std::string_view text) : rest_{text} {}

  /// The first character of what comes next, after white space.
  char next();
  /// Enters an object or array; false: it is empty, and was skipped.
  bool enter();
  /// After a value in an object or array: goes to the next; false: it was the last, and the object or array was left.
  bool more();
  /// Name of a member, and its colon.
  std::string name();
  /// A string without its escapes, in UTF-8.
  std::string string();
  /// A string as it is written, with its quotes.
  std::string_view literal();
  /// Name of a member as it is written, and its colon.
  std::string_view literal_name();
  /// What string() returns for a literal.
  static std::string unescaped(std::string_view literal);
  /// A number, true, false or null as it is written.
  std::string_view word();
  void skip_value();
  /// Skips the value as well, and returns it as it is written.
  std::string_view value();

private:
  void take(std::size_t size) { rest_.remove_prefix(size); }
  void escape(std::string& to);
  unsigned hex();

  std::string_view rest_;
};

} // namespace steadfast::workflow
