#include "runtime/configuration/webhook_options.hpp"

#include "workflow/text/name.hpp"

#include <openssl/evp.h>

#include <algorithm>

namespace steadfast {

namespace {

constexpr std::size_t key_size_min = 24;
constexpr std::size_t key_size_max = 64;
constexpr std::uint32_t at_once_max = 64;

std::vector<std::string> problems_of_receiver(const webhook_entry& w) {
  auto found = std::visit([](const auto& kind) { return actors::problems(kind); }, w.kind);
  const bool is_http = std::holds_alternative<actors::http_options>(w.kind);
  for (const auto& [name, value] : w.secrets)
    if (auto wrong = (is_http ? actors::header_problem : actors::variable_problem)(name, value.reveal());
        !wrong.empty())
      found.push_back(std::move(wrong));
  for (const auto* key : {&w.key, &w.old_key})
    if (!key->reveal().empty() && !signing_key(key->reveal()))
      found.emplace_back("secret must be whsec_ and 24 to 64 bytes in base64, such as `echo whsec_$(openssl rand "
                         "-base64 32)` makes");
  if (!is_http && !w.key.reveal().empty())
    found.emplace_back("secret: only what goes to a url is signed");
  return found;
}

} // namespace

std::optional<std::string> signing_key(const std::string& text) {
  constexpr std::string_view prefix = "whsec_";
  if (!text.starts_with(prefix))
    return std::nullopt;
  const auto coded = text.substr(prefix.size());
  std::string bytes(coded.size(), '\0');
  const auto size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                    reinterpret_cast<const unsigned char*>(coded.data()),
                                    static_cast<int>(std::min<std::size_t>(coded.size(), 1024)));
  if (size < 0)
    return std::nullopt;
  const auto padding = static_cast<std::size_t>(std::count(coded.begin(), coded.end(), '='));
  bytes.resize(static_cast<std::size_t>(size) - std::min<std::size_t>(padding, 2));
  if (bytes.size() < key_size_min || bytes.size() > key_size_max)
    return std::nullopt;
  return bytes;
}

std::vector<std::string> problems(const webhook_entry& w) {
  auto found = problems_of_receiver(w);
  if (!workflow::is_name(w.what.webhook))
    found.push_back("name must be " + std::string{workflow::name_rule});
  if (w.what.events.empty())
    found.push_back(std::string{"events must name at least one of "} + workflow::outward_event_rule);
  if (w.delivery.at_once == 0 || w.delivery.at_once > at_once_max)
    found.push_back("concurrency must be 1 to " + std::to_string(at_once_max));
  if (w.delivery.retry.initial <= workflow::span{0} || w.delivery.retry.cap < w.delivery.retry.initial)
    found.emplace_back("retry.initial must be above zero, and retry.cap not below it");
  if (w.delivery.give_up_after <= workflow::span{0} || w.call_limit <= workflow::span{0})
    found.emplace_back("give_up_after and call_limit must be above zero");
  return found;
}

} // namespace steadfast
