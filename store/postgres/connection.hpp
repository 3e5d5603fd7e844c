#pragma once

#include "store/postgres/place.hpp"
#include "store/postgres/reply.hpp"
#include "store/postgres/statement.hpp"

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

struct pg_conn;

namespace steadfast::store::postgres {

using monotonic_clock = std::function<std::chrono::steady_clock::time_point()>;

/// How long a server is waited for. A frozen server answers the kernel's keep-alive probes for ever, and its own time
/// limits do not end its wait for a standby: so we have these limits.
struct session_limits {
  std::chrono::milliseconds connect{2000}; ///< for each host, without the look-up of its name
  std::chrono::milliseconds answer{3000};  ///< for all that is sent together, its commit included
};

std::vector<std::string> problems(const session_limits& l);

/// A session with a server that takes writes. A call blocks its thread for at most these limits.
class connection {
public:
  /// Why a server that takes writes is not the right one; empty: it is. May throw store_error.
  using refusal = std::function<std::string(connection& c)>;
  /// Tries the servers in turn, the one named `first` before all others: each machine that is gone costs a whole limit.
  /// Throws store_error, which says why each was not taken. The server shows `name` for the session.
  static connection open(const place& where, const std::string& name, const session_limits& limits,
                         const monotonic_clock& now, const std::string& first = {}, const refusal& why_not = {});

  /// Sends all of it at once, as one transaction that commits at its end, and waits for no answer. The server carries
  /// out one such transaction after the other. Never throws for what the server does: receive() reports it.
  void send(const std::vector<statement>& all);
  /// Waits for the answers to the oldest transaction that was sent. When its limit is over, the connection is given up
  /// without a cancel request: cancelling a commit makes it visible here, perhaps without a standby. Never throws for
  /// what the server does; `end_of` says what became of it. REQUIRES: something was sent and not received yet.
  reply receive();
  /// send() and receive(). REQUIRES: all that was sent before was received.
  reply run(const std::vector<statement>& all);

  /// run() for statements that only read. Throws store_error if there is no answer.
  std::vector<rows> read(const std::vector<statement>& all);

  /// Whether the connection can still be used.
  bool is_open() const { return session_ != nullptr; }
  /// The server, as the user named it.
  const std::string& server() const { return server_; }

private:
  struct session;
  struct sent_transaction {
    std::size_t statements = 0;
    std::chrono::steady_clock::time_point until; ///< until then its answer counts
  };
  struct closer {
    void operator()(session* s) const;
  };

  connection(std::unique_ptr<session, closer> s, std::string server);
  void give_up(std::string why);

  std::unique_ptr<session, closer> session_; ///< none: it was given up
  std::string why_given_up_;
  std::deque<sent_transaction> sent_; ///< what was sent and not received yet, the oldest first
  std::string server_;
};

/// What each session sets, whatever the role or the server has set as a default.
std::vector<statement> session_settings(const std::string& schema);

} // namespace steadfast::store::postgres
