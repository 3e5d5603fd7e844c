#pragma once

#include "runtime/assembly/http_figures.hpp"
#include "runtime/configuration/http_server_options.hpp"
#include "runtime/control/open_calls.hpp"
#include "runtime/http/http_api.hpp"
#include "runtime/http/messages/http_text.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <optional>
#include <string>

namespace steadfast::runtime {

struct http_connection {
  virtual ~http_connection() = default;
  virtual void close_if_idle() = 0;
  /// That of its client's address (network_of).
  virtual const std::string& network() const = 0;

  struct waiting {
    std::chrono::steady_clock::time_point since;
    bool is_idle = false; ///< for a request; else for the rest of one, or until an answer is taken
  };
  /// What its client keeps it waiting for. Nothing: the node is at work for the client, or sends it events.
  virtual std::optional<waiting> waits() const = 0;
  /// REQUIRES: waits().
  virtual void give_way() = 0;
};

/// What all connections share. Only the thread that runs `io` uses it, except where others are mentioned.
struct http_host {
  http_server_options options;
  std::unique_ptr<http_api> api; ///< for any thread
  open_calls calls;              ///< likewise
  std::list<http_connection*> connections;
  std::list<http_connection*> turned_away; ///< besides these: are told that there is no place, and leave
  std::shared_ptr<http_figures> figures;
  std::size_t unfinished = 0; ///< bytes that were promised to bodies under way
  bool closing = false;
  boost::asio::io_context io{1};
  std::list<std::unique_ptr<boost::asio::steady_timer>> timers;
};

/// Serves a client that has connected, until it leaves: its requests one after the other. `tls` may be null. By the
/// thread that runs `io`.
void begin_session(http_host& h, const std::string& peer, boost::asio::ip::tcp::socket s,
                   boost::asio::ssl::context* tls);

/// The node has no place for it.
http_problem no_place();
/// Tells a client that as its first answer, and lets it go within seconds. Likewise.
void turn_away(http_host& h, const std::string& peer, boost::asio::ip::tcp::socket s, boost::asio::ssl::context* tls);

} // namespace steadfast::runtime
