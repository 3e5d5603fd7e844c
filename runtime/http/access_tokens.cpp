#include "runtime/http/access_tokens.hpp"

#include "runtime/text/hex.hpp"
#include "runtime/text/random_text.hpp"
#include "runtime/toml/config_error.hpp"
#include "runtime/toml/secret_file.hpp"
#include "runtime/toml/toml_file.hpp"

#include <nlohmann/json.hpp>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace steadfast::runtime {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::string_view prefix = "sf_"; ///< so that scanners of sources for secrets can find it
constexpr std::size_t id_bytes = 8;
constexpr std::size_t secret_bytes = 32;

std::int64_t count_of(workflow::instant t) {
  return t.time_since_epoch().count();
}

workflow::instant instant_of(const json& ms) {
  return workflow::instant{workflow::span{ms.get<std::int64_t>()}};
}

json json_of(const access_token& t) {
  json scopes = json::array();
  for (const auto s : t.scopes)
    scopes.push_back(std::string{api::to_string(s)});
  json j{{"id", t.id},
         {"name", t.name},
         {"hash", t.hash},
         {"scopes", scopes},
         {"workflows", t.workflows},
         {"made_ms", count_of(t.made_at)},
         {"expires_ms", t.expires_at == workflow::never ? json{} : json(count_of(t.expires_at))}};
  if (!t.roles.empty()) // releases before roles pass over it
    j["roles"] = t.roles;
  return j;
}

access_token token_of(const json& j) {
  access_token t;
  t.id = j.at("id");
  t.name = j.at("name");
  t.hash = j.at("hash");
  for (const auto& s : j.at("scopes"))
    t.scopes.push_back(api::parse_scope(s.get<std::string>()).value());
  t.workflows = j.at("workflows").get<std::vector<std::string>>();
  if (j.contains("roles"))
    t.roles = j.at("roles").get<std::vector<std::string>>();
  t.made_at = instant_of(j.at("made_ms"));
  if (!j.at("expires_ms").is_null())
    t.expires_at = instant_of(j.at("expires_ms"));
  return t;
}

[[noreturn]] void refuse(const fs::path& file, const std::string& why) {
  throw config_error{{file.string() + ": " + why}};
}

fs::path uses_file(const fs::path& file) {
  return file.string() + ".used";
}

/// By a file beside it that takes its place. Throws std::system_error.
void replace(const fs::path& file, const std::string& text) {
  const auto draft = file.string() + ".new";
  const int descriptor = open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (descriptor < 0)
    throw std::system_error{errno, std::generic_category(), draft};
  const bool is_written =
    write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && fsync(descriptor) == 0;
  const int why = errno;
  close(descriptor);
  if (!is_written)
    throw std::system_error{why, std::generic_category(), draft};
  fs::rename(draft, file);
}

} // namespace

std::vector<access_token> read_tokens(const fs::path& file) {
  std::error_code unknown;
  if (!fs::exists(file, unknown))
    return {};
  if (const auto why = why_no_secret(file); !why.empty())
    throw config_error{{why}};
  try {
    std::vector<access_token> all;
    const auto whole = json::parse(read_text_file(file));
    for (const auto& t : whole.at("tokens"))
      all.push_back(token_of(t));
    return all;
  } catch (const config_error&) {
    throw;
  } catch (const std::exception&) {
    refuse(file, "is not a file of tokens, as `steadfast token create` makes it");
  }
}

void write_tokens(const fs::path& file, const std::vector<access_token>& all) {
  json tokens = json::array();
  for (const auto& t : all)
    tokens.push_back(json_of(t));
  try {
    replace(file, json{{"tokens", tokens}}.dump(2) + "\n");
  } catch (const std::system_error& e) {
    refuse(file, std::string{"cannot be written: "} + std::strerror(e.code().value()));
  }
}

std::string make_token(access_token& t) {
  t.id = random_hex(id_bytes);
  const auto token = std::string{prefix} + t.id + "_" + random_hex(secret_bytes);
  t.hash = sha256(token);
  return token;
}

std::optional<access_token> found_token(const std::vector<access_token>& all, std::string_view token) {
  const auto rest = token.starts_with(prefix) ? token.substr(prefix.size()) : std::string_view{};
  const auto id = rest.substr(0, std::min(rest.find('_'), rest.size()));
  const auto found = std::find_if(all.begin(), all.end(), [&](const access_token& t) { return t.id == id; });
  if (found == all.end())
    return std::nullopt;
  const auto hash = sha256(token);
  if (hash.size() != found->hash.size() || CRYPTO_memcmp(hash.data(), found->hash.data(), hash.size()) != 0)
    return std::nullopt;
  return *found;
}

std::map<std::string, workflow::instant> last_uses(const fs::path& file) {
  std::map<std::string, workflow::instant> all;
  std::error_code unknown;
  if (!fs::exists(uses_file(file), unknown))
    return all;
  const auto uses = json::parse(read_text_file(uses_file(file)), nullptr, false);
  if (uses.is_object())
    for (const auto& [id, ms] : uses.items())
      if (ms.is_number_integer())
        all[id] = instant_of(ms);
  return all;
}

token_book::token_book(fs::path file) : file_{std::move(file)} {
  if (!fs::exists(file_))
    refuse(file_,
           "there is no such file: `steadfast token create NAME --scope read --file " + file_.string() + "` makes it");
  read_tokens(file_); // tells what is wrong with it
}

void token_book::refresh() {
  std::error_code unknown;
  const version now{fs::last_write_time(file_, unknown), fs::file_size(file_, unknown)};
  if (!unknown && version_ == now)
    return;
  try {
    tokens_ = read_tokens(file_);
    version_ = now;
  } catch (const config_error&) { // nobody knows who may do what
    tokens_.clear();
    version_.reset();
  }
}

std::optional<access_token> token_book::find(std::string_view token, workflow::instant now) {
  const std::lock_guard lock{mutex_};
  refresh();
  auto found = found_token(tokens_, token);
  if (!found || found->expires_at <= now)
    return std::nullopt;
  used_[found->id] = now;
  return found;
}

void token_book::save_uses() {
  std::map<std::string, workflow::instant> used;
  {
    const std::lock_guard lock{mutex_};
    used.swap(used_);
  }
  if (used.empty())
    return;
  try {
    auto all = last_uses(file_); // other nodes note theirs there, too
    for (const auto& [id, at] : used)
      all[id] = std::max(all[id], at);
    json uses = json::object();
    for (const auto& [id, at] : all)
      uses[id] = count_of(at);
    replace(uses_file(file_), uses.dump() + "\n");
  } catch (const std::exception&) { // of no importance
    return;
  }
}

} // namespace steadfast::runtime
