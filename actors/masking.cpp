#include "actors/masking.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace steadfast::actors {

namespace {

constexpr std::size_t shortest_secret = 6;
constexpr std::size_t shortest_word = 12; ///< of a secret of several
constexpr std::string_view mask = "***";

void mask_each(std::string& text, std::string_view secret) {
  for (auto at = text.find(secret); at != std::string::npos; at = text.find(secret, at + mask.size()))
    text.replace(at, secret.size(), mask);
}

void mask_words(std::string& text, std::string_view secret) {
  while (!secret.empty()) {
    const auto end = std::min(secret.find_first_of(" \t,;&="), secret.size());
    if (end >= shortest_word)
      mask_each(text, secret.substr(0, end));
    secret.remove_prefix(std::min(end + 1, secret.size()));
  }
}

} // namespace

std::string masked(std::string text, const std::vector<std::string>& secrets) {
  for (const auto& secret : secrets) {
    if (secret.size() >= shortest_secret)
      mask_each(text, secret);
    mask_words(text, secret);
  }
  return text;
}

std::string origin_of(const std::string& url) {
  const auto scheme = url.find("://");
  const auto host = scheme == std::string::npos ? 0 : scheme + 3;
  const auto end = std::min(url.find_first_of("/?#", host), url.size());
  const auto user = url.substr(0, end).rfind('@');
  const auto from = user == std::string::npos || user < host ? host : user + 1;
  return url.substr(0, host) + url.substr(from, end - from);
}

} // namespace steadfast::actors
