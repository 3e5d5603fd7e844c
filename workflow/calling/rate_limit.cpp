#include "workflow/calling/rate_limit.hpp"

#include <algorithm>
#include <cassert>

namespace steadfast::workflow {
namespace {

constexpr std::uint64_t one_token = 1000;

// Room for what the last millisecond brought on top: else its fraction of a token would be lost again and again.
std::uint64_t capacity(const rate_options& o) {
  return one_token * std::max(o.burst, 1U) + o.per_second - 1;
}

token_bucket filled(const token_bucket& b, const rate_options& o, instant now) {
  const auto full = capacity(o);
  if (b.at == unset)
    return {full, now};
  const auto passed = static_cast<std::uint64_t>(std::max(now - b.at, span::zero()).count());
  // Compared before it is multiplied: after a long rest the product would not fit.
  if (passed > full / o.per_second)
    return {full, now};
  return {std::min(full, b.thousandths + passed * o.per_second), std::max(now, b.at)};
}

} // namespace

instant next_call_at(const token_bucket& b, const rate_options& o, instant now) {
  if (o.per_second == 0)
    return now;
  const auto now_in_it = filled(b, o, now);
  if (now_in_it.thousandths >= one_token)
    return now;
  const auto missing = one_token - now_in_it.thousandths;
  return now_in_it.at + span{static_cast<span::rep>((missing + o.per_second - 1) / o.per_second)};
}

token_bucket taken_from(const token_bucket& b, const rate_options& o, instant now) {
  if (o.per_second == 0)
    return b;
  auto next = filled(b, o, now);
  assert(next.thousandths >= one_token);
  next.thousandths -= one_token;
  return next;
}

} // namespace steadfast::workflow
