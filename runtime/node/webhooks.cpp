#include "runtime/node/webhooks.hpp"

#include "actors/agents/program/program_caller.hpp"
#include "actors/supervising/webhook.hpp"
#include "runtime/logging/log.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <chrono>
#include <ctime>
#include <utility>
#include <variant>

namespace steadfast {

namespace {

constexpr std::uint64_t answer_size_max = 64 << 10; ///< of a receiver, which has nothing to say

std::string signature_of(const std::string& what, const std::string& key) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(what.data()),
       what.size(), digest.data(), &size);
  std::array<unsigned char, 2 * EVP_MAX_MD_SIZE> coded{};
  const auto length = EVP_EncodeBlock(coded.data(), digest.data(), static_cast<int>(size));
  return {reinterpret_cast<const char*>(coded.data()), static_cast<std::size_t>(length)};
}

std::vector<std::string> keys_of(const webhook_entry& w) {
  std::vector<std::string> keys;
  for (const auto* key : {&w.key, &w.old_key})
    if (auto bytes = signing_key(key->reveal()))
      keys.push_back(*std::move(bytes));
  return keys;
}

actors::make_caller caller_of(const webhook_entry& w) {
  if (const auto* http = std::get_if<actors::http_options>(&w.kind)) {
    auto o = *http;
    for (const auto& [name, value] : w.secrets) {
      o.headers[name] = value.reveal();
      o.secrets.push_back(value.reveal());
    }
    // By the wall clock: receivers compare it with theirs, and the node's own is not set after its start.
    const auto headers = [keys = keys_of(w)](const actors::call& c, const actors::add_header& add) {
      for (const auto& [name, value] : webhook_headers(c.key, c.input, std::time(nullptr), keys))
        add(name, value);
    };
    return [o, headers](actors::call_over over) {
      return actors::make_http_caller(o, answer_size_max, std::move(over), headers);
    };
  }
  auto o = std::get<actors::program_options>(w.kind);
  for (const auto& [name, value] : w.secrets) {
    o.environment[name] = value.reveal();
    o.secrets.push_back(value.reveal());
  }
  return [o, at_once = w.delivery.at_once](actors::call_over over) {
    return actors::make_program_caller(o, at_once, std::move(over));
  };
}

} // namespace

std::vector<std::pair<std::string, std::string>> webhook_headers(const std::string& id, const std::string& body,
                                                                 std::int64_t seconds_since_1970,
                                                                 const std::vector<std::string>& keys) {
  const auto seconds = std::to_string(seconds_since_1970);
  std::vector<std::pair<std::string, std::string>> headers{{"webhook-id", id}, {"webhook-timestamp", seconds}};
  std::string signatures;
  for (const auto& key : keys)
    (signatures += signatures.empty() ? "v1," : " v1,") += signature_of(id + "." + seconds + "." + body, key);
  if (!signatures.empty())
    headers.emplace_back("webhook-signature", signatures);
  return headers;
}

std::map<std::string, actors::webhook_actor>
spawn_webhooks(caf::actor_system& sys, const std::vector<webhook_entry>& entries, const actors::store_actor& to,
               const actors::reader_actor& reader, const actors::node_clock& clock) {
  std::map<std::string, actors::webhook_actor> all;
  for (const auto& w : entries) {
    actors::webhook_deps deps;
    deps.what = w.what;
    deps.delivery = w.delivery;
    deps.call_limit = w.call_limit;
    deps.make = caller_of(w);
    deps.store = to;
    deps.reader = reader;
    deps.clock = clock;
    deps.warn = [](const std::string& line) { log_line("warning", line); };
    all.emplace(w.what.webhook, actors::spawn_webhook(sys, std::move(deps)));
  }
  return all;
}

} // namespace steadfast
