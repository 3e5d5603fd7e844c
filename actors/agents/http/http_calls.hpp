#pragma once

#include "actors/agents/agent_options.hpp"
#include "actors/agents/caller.hpp"
#include "actors/agents/http/connection/http_connection.hpp"
#include "actors/agents/http/connection/name_lookup.hpp"
#include "actors/agents/http/http_caller.hpp"
#include "actors/agents/http/messages/request_text.hpp"
#include "actors/agents/url.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace steadfast::actors {

/// How a caller keeps connections for its next requests: for less than the 5 s after which many servers close them, so
/// that this seldom happens just as a request is sent. A server may also need a thread for each of them.
struct keeping {
  std::size_t kept_max = 256;
  std::chrono::milliseconds sweep_every{1000}; ///< how often they are looked at
  unsigned sweeps = 4;                         ///< after that many they are closed, having waited 3 to 4 s
};

/// The calls of one caller, and its connections: those that wait for the next request are kept for a while. All of it
/// is done on the thread of the loop, to which calls are handed over.
class http_calls : private connection_user, public std::enable_shared_from_this<http_calls> {
public:
  http_calls(boost::asio::io_context& io, http_options o, std::uint64_t body_max, call_over over, call_headers headers,
             keeping keeps = {});
  ~http_calls() override;

  // From any thread:
  void start(call_ticket ticket, call what);
  void stop(call_ticket ticket);
  /// After it returns, no more ends of calls are reported.
  void end();

private:
  struct open_call {
    workflow::attempt_action action{};
    workflow::instant began_at;
    bool may_end_later = false;
    std::string request;
    std::shared_ptr<http_connection> connection;
  };
  using error_code = boost::system::error_code;

  void hand_over();
  void take_handed_over();
  void begin(call_ticket ticket, const call& what);
  bool begin_on_kept(call_ticket ticket, open_call& c);
  void connect(call_ticket ticket, open_call& c);
  void dial(const std::shared_ptr<http_connection>& c, const name_lookup::addresses& found, const std::string& fault);
  http_connection::steps openings();
  bool send(open_call& c);
  void end_early(call_ticket ticket);
  void finish(call_ticket ticket, answer a);
  void tell_ends();
  void close_all();

  void on_open(http_connection& c) override;
  void on_reply(http_connection& c, http_reply reply, bool keeps) override;
  void on_broken(http_connection& c, broken_call b) override;

  void keep(http_connection& c);
  void sweep();
  tls_context context();

  boost::asio::io_context& io_;
  const http_options options_;
  const std::uint64_t body_max_;
  const call_over over_;
  const keeping keeps_;
  const web_url to_;
  const web_url proxy_; ///< without a host: there is none
  const bool is_tunnelled_;
  const request_text text_;
  const std::shared_ptr<name_lookup> lookup_;

  std::unordered_map<call_ticket, open_call> open_;
  std::vector<std::shared_ptr<http_connection>> kept_; ///< the last used one is last
  boost::asio::steady_timer sweeping_;
  unsigned sweeps_ = 0;
  bool is_sweeping_ = false;
  tls_context context_;
  boost::asio::steady_timer context_age_;
  std::string context_fault_;
  std::vector<ended_call> ended_; ///< in this turn of the loop

  std::mutex mutex_; ///< guards what is handed over
  std::vector<std::pair<call_ticket, call>> started_;
  std::vector<call_ticket> stopped_;
  bool is_handed_over_ = false;  ///< the loop knows that there is something to take
  std::recursive_mutex telling_; ///< held while the ends of calls are reported, which may destroy the caller
  bool has_ended_ = false;
};

} // namespace steadfast::actors
