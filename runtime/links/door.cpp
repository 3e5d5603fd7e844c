#include "runtime/links/door.hpp"

#include "runtime/text/address.hpp"

namespace steadfast::runtime {

namespace {

constexpr std::chrono::minutes said_again_after{1};
constexpr std::size_t lines_max = 30;

std::string count_text(std::uint64_t unsaid) {
  return unsaid == 0 ? "" : " (and " + std::to_string(unsaid) + " more since this was said)";
}

} // namespace

std::string door::why_full(const std::string& address) {
  if (links_ >= limits_.links_max)
    return "there are " + std::to_string(links_) + " connections";
  if (all_greeting_ >= limits_.handshakes_max)
    return std::to_string(all_greeting_) + " others have not said yet who they are";
  auto& of_address = greeting_[network_of(address)];
  if (of_address >= limits_.handshakes_of_address_max)
    return std::to_string(of_address) + " others from there have not said yet who they are";
  ++of_address;
  ++all_greeting_;
  return {};
}

void door::has_greeted(const std::string& address, bool is_let_in) {
  --all_greeting_;
  if (const auto found = greeting_.find(network_of(address)); --found->second == 0)
    greeting_.erase(found);
  if (is_let_in)
    ++links_;
}

std::optional<std::string> refusal_log::line(const std::string& address, const std::string& why, instant now) {
  if (now - minute_began_ >= said_again_after)
    forget_old(now);
  const auto found = said_.find({address, why});
  if (found != said_.end() && now - found->second.said < said_again_after) {
    ++found->second.unsaid;
    return std::nullopt;
  }
  if (lines_ >= lines_max) {
    ++unsaid_;
    return std::nullopt;
  }
  ++lines_;
  auto& e = said_[{address, why}];
  const auto more = std::exchange(e.unsaid, 0) + std::exchange(unsaid_, 0);
  e.said = now;
  return "refused a connection from " + address + ": " + why + count_text(more);
}

void refusal_log::forget_old(instant now) {
  minute_began_ = now;
  lines_ = 0;
  std::erase_if(said_, [&](const auto& s) { return s.second.unsaid == 0 && now - s.second.said >= said_again_after; });
  constexpr std::size_t remembered_max = 1000;
  if (said_.size() > remembered_max)
    said_.clear();
}

} // namespace steadfast::runtime
