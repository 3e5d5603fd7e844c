#include "store/postgres/place.hpp"

#include "store/contract/state_store.hpp"
#include "store/postgres/libpq.hpp"
#include "workflow/text/split.hpp"

#include <algorithm>
#include <cctype>
#include <memory>
#include <optional>

namespace steadfast::store::postgres {
namespace {

constexpr std::size_t schema_name_max = 30; ///< so that the names of its sessions are not cut off
constexpr std::size_t secret_min = 4;

bool is_schema_name(const std::string& s) {
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || c == '_' || (c >= '0' && c <= '9'); };
  return !s.empty() && s.size() <= schema_name_max && std::isdigit(static_cast<unsigned char>(s.front())) == 0
         && s.rfind("pg_", 0) != 0 && std::all_of(s.begin(), s.end(), fits);
}

/// Nothing if libpq cannot read it. What libpq says of that quotes the URL, and so the password.
std::optional<connection_options> options_of(const std::string& url) {
  char* why = nullptr;
  const std::unique_ptr<PQconninfoOption, decltype(libpq().conninfoFree)> all{libpq().conninfoParse(url.c_str(), &why),
                                                                              libpq().conninfoFree};
  libpq().freemem(why);
  if (!all)
    return std::nullopt;
  connection_options found;
  for (const auto* o = all.get(); o->keyword != nullptr; ++o)
    if (o->val != nullptr)
      found.emplace(o->keyword, o->val);
  return found;
}

} // namespace

std::vector<std::string> problems(const place& p) {
  std::vector<std::string> found;
  const auto options = p.url.empty() ? std::nullopt : options_of(p.url);
  if (!options)
    found.emplace_back("the URL of the store is none of PostgreSQL: it looks like"
                       " postgresql://user@host1,host2:5432/database?sslmode=verify-full");
  else if (each_server(*options).empty())
    found.emplace_back("the URL of the store must have one port, or one for each of its hosts");
  if (!is_schema_name(p.schema))
    found.emplace_back("the name of a schema has small letters, digits and _, at most "
                       + std::to_string(schema_name_max) + ", and does not begin with a digit or pg_");
  return found;
}

std::vector<connection_options> each_server(const connection_options& all) {
  const auto list = [&](const char* name) {
    const auto found = all.find(name);
    return found == all.end() ? std::vector<std::string_view>{} : workflow::split(found->second, ',');
  };
  const auto hosts = list("host");
  const auto addresses = list("hostaddr");
  const auto ports = list("port");
  const auto count = std::max<std::size_t>({hosts.size(), addresses.size(), 1});
  const auto fits = [&](const auto& l, bool one_for_all) {
    return l.empty() || l.size() == count || (one_for_all && l.size() == 1);
  };
  if (!fits(hosts, false) || !fits(addresses, false) || !fits(ports, true))
    return {};
  std::vector<connection_options> each(count, all);
  const auto put = [&](std::size_t i, const char* name, const std::vector<std::string_view>& l) {
    if (!l.empty())
      each[i][name] = l[l.size() == 1 ? 0 : i];
  };
  for (std::size_t i = 0; i < count; ++i) {
    put(i, "host", hosts);
    put(i, "hostaddr", addresses);
    put(i, "port", ports);
  }
  return each;
}

std::string name_of(const connection_options& server) {
  const auto value = [&](const char* name) {
    const auto found = server.find(name);
    return found == server.end() ? std::string{} : found->second;
  };
  const auto host = value("host").empty() ? value("hostaddr") : value("host");
  return (host.empty() ? "the default host" : host) + (value("port").empty() ? "" : ":" + value("port"));
}

std::vector<connection_options> with_first(std::vector<connection_options> servers, const std::string& name) {
  std::stable_partition(servers.begin(), servers.end(), [&](const auto& s) { return name_of(s) == name; });
  return servers;
}

connection_options with_ours(connection_options server, std::chrono::milliseconds silence) {
  server["target_session_attrs"] = "read-write";
  server["client_encoding"] = "UTF8";
  // A machine that is gone answers nothing; a frozen server still answers these, so we have a limit of our own too.
  const auto ms = std::max<std::chrono::milliseconds::rep>(silence.count(), 1000);
  for (const auto& [name, value] : connection_options{{"tcp_user_timeout", std::to_string(ms)},
                                                      {"keepalives_idle", "2"},
                                                      {"keepalives_interval", "1"},
                                                      {"keepalives_count", "2"}})
    server.emplace(name, value);
  return server;
}

std::vector<connection_options> servers_of(const place& p) {
  const auto wrong = problems(p);
  if (!wrong.empty())
    throw store_error{wrong.front(), false};
  auto options = *options_of(p.url);
  if (!p.password.empty())
    options["password"] = p.password;
  return each_server(options);
}

std::string without_secrets(std::string text, const std::vector<std::string_view>& secrets) {
  for (const auto secret : secrets) {
    if (secret.empty())
      continue;
    if (secret.size() < secret_min && text.find(secret) != std::string::npos)
      return "the text of the error is not shown, because the password is too short to be taken out of it";
    for (auto at = text.find(secret); at != std::string::npos; at = text.find(secret, at + 3))
      text.replace(at, secret.size(), "***");
  }
  return text;
}

} // namespace steadfast::store::postgres
