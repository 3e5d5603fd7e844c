#include "workflow/text/canonical_json.hpp"

#include "workflow/text/json_scan.hpp"
#include "workflow/text/json_text.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

namespace steadfast::workflow {
namespace {

/// An exponent with more digits is not reckoned with: such a number is compared as it is written.
constexpr std::size_t exponent_digits_max = 15;

/// What is written without escapes needs none.
void write_literal(std::string& to, std::string_view literal) {
  if (literal.find('\\') == std::string_view::npos)
    to += literal;
  else
    append_string(to, json_scan::unescaped(literal));
}

/// Its significant digits, and the power of ten that they are multiplied by.
void write_number(std::string& to, std::string_view text) {
  const auto mantissa = text.substr(0, text.find_first_of("eE"));
  auto power = text.substr(std::min(mantissa.size() + 1, text.size()));
  const bool is_small = power.starts_with('-');
  power.remove_prefix(std::min(power.find_first_not_of("+-0"), power.size()));
  if (power.size() > exponent_digits_max) {
    to += text;
    return;
  }
  std::int64_t exponent = 0;
  for (const char c : power)
    exponent = exponent * 10 + (c - '0');
  exponent = is_small ? -exponent : exponent;

  std::string digits;
  std::copy_if(mantissa.begin(), mantissa.end(), std::back_inserter(digits),
               [](char c) { return c != '-' && c != '.'; });
  if (const auto point = mantissa.find('.'); point != std::string_view::npos)
    exponent -= static_cast<std::int64_t>(mantissa.size() - point - 1);
  const auto last = digits.find_last_not_of('0');
  if (last == std::string::npos) {
    to += '0';
    return;
  }
  exponent += static_cast<std::int64_t>(digits.size() - last - 1);
  to += text.front() == '-' ? "-" : "";
  to.append(digits, digits.find_first_not_of('0'), last + 1 - digits.find_first_not_of('0'));
  if (exponent != 0)
    to += "e" + std::to_string(exponent);
}

/// REQUIRES: is_json(text).
class canonical_writer {
public:
  explicit canonical_writer(std::string_view text) : in_{text} { out_.reserve(text.size()); }

  std::string document() && {
    value();
    return std::move(out_);
  }

private:
  struct member {
    std::string name;
    std::size_t begin; ///< in the output, name and value
    std::size_t end;
  };

  void value() {
    switch (in_.next()) {
      case '{': return object();
      case '[': return array();
      case '"': return write_literal(out_, in_.literal());
      case 't':
      case 'f':
      case 'n': out_ += in_.word(); return;
      default: write_number(out_, in_.word());
    }
  }

  void array() {
    out_ += '[';
    bool more = in_.enter();
    while (more) {
      value();
      more = in_.more();
      if (more)
        out_ += ',';
    }
    out_ += ']';
  }

  /// A name that comes twice stays there twice, in the order that it came in.
  void object() {
    out_ += '{';
    const auto begin = out_.size();
    std::vector<member> members;
    for (bool more = in_.enter(); more;) {
      const auto name = in_.literal_name();
      member m{json_scan::unescaped(name), out_.size(), 0};
      write_literal(out_, name);
      out_ += ':';
      value();
      m.end = out_.size();
      members.push_back(std::move(m));
      more = in_.more();
      out_ += more ? "," : "";
    }
    if (!std::is_sorted(members.begin(), members.end(), by_name))
      sort(members, begin);
    out_ += '}';
  }

  static bool by_name(const member& a, const member& b) { return a.name < b.name; }

  /// REQUIRES: the members are all that was written since `begin`.
  void sort(std::vector<member>& members, std::size_t begin) {
    std::stable_sort(members.begin(), members.end(), by_name);
    std::string sorted;
    sorted.reserve(out_.size() - begin);
    for (const auto& m : members)
      sorted.append(sorted.empty() ? "" : ",").append(out_, m.begin, m.end - m.begin);
    out_.replace(begin, std::string::npos, sorted);
  }

  json_scan in_;
  std::string out_;
};

/// A number as canonical_json writes it: 0.`digits` times ten to the power of `exponent`, no zero at either end.
struct decimal {
  int sign = 0;
  std::string_view digits;
  std::int64_t exponent = 0;
};

std::optional<decimal> decimal_of(std::string_view canonical) {
  decimal n{1, canonical, 0};
  if (n.digits.starts_with('-')) {
    n.sign = -1;
    n.digits.remove_prefix(1);
  }
  const auto end = std::min(n.digits.find_first_of("eE"), n.digits.size());
  auto power = n.digits.substr(std::min(end + 1, n.digits.size()));
  n.digits = n.digits.substr(0, end);
  if (n.digits.empty() || n.digits.find_first_not_of("0123456789.") != std::string_view::npos)
    return std::nullopt;
  if (n.digits.find_first_not_of("0.") == std::string_view::npos)
    return decimal{};
  const bool is_small = power.starts_with('-');
  power.remove_prefix(std::min(power.find_first_not_of("+-0"), power.size()));
  if (power.size() > exponent_digits_max) // further off than any other, and not told apart
    return decimal{n.sign, "1", std::numeric_limits<std::int64_t>::max() / (is_small ? -2 : 2)};
  std::from_chars(power.data(), power.data() + power.size(), n.exponent);
  n.exponent = (is_small ? -n.exponent : n.exponent) + static_cast<std::int64_t>(n.digits.size());
  return n;
}

bool ends_with_any_case(std::string_view text, std::string_view end) {
  const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + ('a' - 'A') : a) == b; };
  return text.size() >= end.size()
         && std::equal(end.rbegin(), end.rend(), text.rbegin(), [&](char b, char a) { return same(a, b); });
}

} // namespace

std::optional<std::string> canonical_json(std::string_view text) {
  if (!is_json(text))
    return std::nullopt;
  return canonical_writer{text}.document();
}

std::optional<int> compare_json_numbers(std::string_view a, std::string_view b) {
  const auto first = canonical_json(a);
  const auto second = canonical_json(b);
  const auto x = first ? decimal_of(*first) : std::nullopt;
  const auto y = second ? decimal_of(*second) : std::nullopt;
  if (!x || !y)
    return std::nullopt;
  if (x->sign != y->sign || x->sign == 0)
    return x->sign - y->sign;
  if (x->exponent != y->exponent)
    return (x->exponent < y->exponent ? -1 : 1) * x->sign;
  return x->digits.compare(y->digits) * x->sign;
}

bool is_json_type(std::string_view content_type) {
  auto type = content_type.substr(0, content_type.find(';'));
  type = type.substr(0, type.find_last_not_of(' ') + 1);
  return ends_with_any_case(type, "application/json") || ends_with_any_case(type, "text/json")
         || ends_with_any_case(type, "+json");
}

} // namespace steadfast::workflow
