#pragma once

#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

/// A store on a PostgreSQL server (docs/decisions/0005-postgresql.md). Only this room knows libpq. Nothing here is
/// shared between threads.
namespace steadfast::store::postgres {

/// Settings of one connection to one server, by libpq's names.
using connection_options = std::map<std::string, std::string>;

/// Where a store is, and how to get in.
struct place {
  std::string url;      ///< as libpq takes it, also with several hosts; its password is not asked for when it has none
  std::string password; ///< from a file; goes before that of the URL and of the environment. Empty: there is none
  std::string schema = "steadfast";
};

/// What is wrong with it; empty: nothing. Never names a password.
std::vector<std::string> problems(const place& p);

/// One for each host of the URL, in its order, without those that have no sense there (a password in the URL stays).
/// Throws store_error if the URL cannot be read.
std::vector<connection_options> servers_of(const place& p);

/// The same, from the options of a URL that names several hosts, as libpq reads it: a port for each, or one for all.
/// Empty: there is not a port and an address for each host.
std::vector<connection_options> each_server(const connection_options& all);

/// As the user named it: its host and port.
std::string name_of(const connection_options& server);

/// The same in another order: the one of that name comes first, if it is there.
std::vector<connection_options> with_first(std::vector<connection_options> servers, const std::string& name);

/// What one connection adds to what the user said: only a server that takes writes, and signs of life. How long a
/// machine that is gone is waited for follows from `silence`, the time after which no answer is expected any more.
connection_options with_ours(connection_options server, std::chrono::milliseconds silence);

/// The text with each password in it replaced. A password that is shorter than four characters stands in words by
/// chance, so any text is replaced then.
std::string without_secrets(std::string text, const std::vector<std::string_view>& secrets);

} // namespace steadfast::store::postgres
