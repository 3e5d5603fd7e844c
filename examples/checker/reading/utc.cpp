#include "examples/checker/reading/utc.hpp"

#include <charconv>
#include <chrono>

namespace checker {

namespace {

bool digits(std::string_view text, std::size_t from, std::size_t count, int& into) {
  const auto* begin = text.data() + from;
  const auto read = std::from_chars(begin, begin + count, into);
  return read.ec == std::errc{} && read.ptr == begin + count;
}

/// ".123" as 123; more digits are cut, fewer are filled up.
bool fraction(std::string_view text, int& ms) {
  ms = 0;
  if (text.empty())
    return true;
  if (text.size() < 2 || text[0] != '.' || text.find_first_not_of("0123456789", 1) != std::string_view::npos)
    return false;
  for (std::size_t i = 1; i <= 3; ++i)
    ms = ms * 10 + (i < text.size() ? text[i] - '0' : 0);
  return true;
}

} // namespace

bool read_utc(std::string_view text, std::int64_t& into) {
  using namespace std::chrono;
  constexpr std::size_t whole_seconds = 19;
  if (text.size() <= whole_seconds || !text.ends_with('Z') || text[4] != '-' || text[7] != '-' || text[13] != ':'
      || text[16] != ':')
    return false;
  int y = 0, mo = 0, d = 0, h = 0, mi = 0, s = 0, ms = 0;
  if (!digits(text, 0, 4, y) || !digits(text, 5, 2, mo) || !digits(text, 8, 2, d) || !digits(text, 11, 2, h)
      || !digits(text, 14, 2, mi) || !digits(text, 17, 2, s)
      || !fraction(text.substr(whole_seconds, text.size() - whole_seconds - 1), ms))
    return false;
  const sys_days date{year{y} / month{static_cast<unsigned>(mo)} / day{static_cast<unsigned>(d)}};
  into = (date.time_since_epoch() + hours{h} + minutes{mi} + seconds{s} + milliseconds{ms}) / milliseconds{1};
  return true;
}

} // namespace checker
