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

/// Where a store is, and how to log in.
struct place {
  std::string url;      ///< as libpq takes it, also with several hosts; a missing password is not asked for
  std::string password; ///< from a file; takes precedence over that of the URL and of the environment. Empty: none
  std::string schema = "steadfast";
};

/// What is wrong with it; empty: nothing. Never names a password.
std::vector<std::string> problems(const place& p);

/// One for each host of the URL, in their order, without options that make no sense there (a password in the URL
/// stays). Throws store_error if the URL cannot be read.
std::vector<connection_options> servers_of(const place& p);

/// The same for the options of a URL that names several hosts. As in libpq, there is one port for each host, or one for
/// all. Empty: the numbers of ports or addresses do not fit those of the hosts.
std::vector<connection_options> each_server(const connection_options& all);

/// The server as the user named it: host and port.
std::string name_of(const connection_options& server);

/// The servers in another order: the one with that name comes first, if it is among them.
std::vector<connection_options> with_first(std::vector<connection_options> servers, const std::string& name);

/// Adds to what the user gave: only a server that takes writes, and keep-alive probes. How long to wait for a machine
/// that is gone follows from `silence`, the time after which no answer is expected any more.
connection_options with_ours(connection_options server, std::chrono::milliseconds silence);

/// The text with each password in it replaced. A password of fewer than four characters may occur in words by chance,
/// so if there is one, the whole text is replaced.
std::string without_secrets(std::string text, const std::vector<std::string_view>& secrets);

} // namespace steadfast::store::postgres
