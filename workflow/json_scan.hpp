#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace steadfast::workflow {

/// Reads a JSON text from its beginning to its end. REQUIRES: is_json(text), and calls that fit what comes next.
class json_scan {
public:
  explicit json_scan(std::string_view text) : rest_{text} {}

  /// The first character of what comes next, after space.
  char next();
  /// Into an object or array; false: it is empty, and passed.
  bool enter();
  /// After a value in an object or array: to the next one; false: it was the last, and the object or array is passed.
  bool more();
  /// Name of a member, and its colon.
  std::string name();
  /// A string without its escapes, in UTF-8.
  std::string string();
  /// A number, true, false or null as it is written.
  std::string_view word();
  void skip_value();

private:
  void take(std::size_t size) { rest_.remove_prefix(size); }
  void escape(std::string& to);
  unsigned hex();

  std::string_view rest_;
};

} // namespace steadfast::workflow
