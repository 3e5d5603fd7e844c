#include "actors/agents/http/messages/http_date.hpp"

#include <strings.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>

namespace steadfast::actors {

namespace {

constexpr long last_year = 9999;
constexpr long last_day = 31;
constexpr std::array month_names{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Takes what is at the front of a date, one word or number after the other.
class date_reader {
public:
  explicit date_reader(std::string_view text) : text_{text} {
    while (!text_.empty())
      is_letter(text_.front()) ? take_word() : is_digit(text_.front()) ? take_number() : text_.remove_prefix(1);
  }

  std::optional<std::chrono::seconds> date() const {
    const std::chrono::year_month_day day{std::chrono::year{static_cast<int>(year_)}, std::chrono::month{month_},
                                          std::chrono::day{static_cast<unsigned>(day_)}};
    if (day_ == 0 || month_ == 0 || !has_year_ || !day.ok())
      return std::nullopt;
    return std::chrono::sys_days{day}.time_since_epoch() + of_day_;
  }

private:
  std::string_view take_while(bool (*is_part)(char)) {
    const auto size = static_cast<std::size_t>(std::find_if_not(text_.begin(), text_.end(), is_part) - text_.begin());
    const auto part = text_.substr(0, size);
    text_.remove_prefix(size);
    return part;
  }

  long take_digits() {
    const auto digits = take_while(is_digit);
    long value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc{} ? std::min(value, last_year) : last_year;
  }

  /// Names of days, and that of the zone, which is always GMT, say nothing more.
  void take_word() {
    const auto word = take_while(is_letter);
    for (unsigned i = 0; i < month_names.size(); ++i)
      if (word.size() == 3 && strncasecmp(word.data(), month_names[i], 3) == 0)
        month_ = i + 1;
  }

  void take_number() {
    const auto value = take_digits();
    if (text_.starts_with(':'))
      return take_clock(value);
    if (day_ == 0 && value <= last_day) {
      day_ = value;
      return;
    }
    year_ = value >= 100 ? value : value + (value > 70 ? 1900 : 2000);
    has_year_ = true;
  }

  void take_clock(long hours) {
    std::array<long, 3> parts{hours};
    for (std::size_t i = 1; i < parts.size() && text_.starts_with(':'); ++i) {
      text_.remove_prefix(1);
      parts[i] = take_digits();
    }
    of_day_ = std::chrono::hours{parts[0]} + std::chrono::minutes{parts[1]} + std::chrono::seconds{parts[2]};
  }

  std::string_view text_;
  long year_ = 0;
  unsigned month_ = 0;
  long day_ = 0;
  bool has_year_ = false;
  std::chrono::seconds of_day_{0};
};

} // namespace

std::optional<std::chrono::seconds> read_http_date(std::string_view text) {
  return date_reader{text}.date();
}

} // namespace steadfast::actors
