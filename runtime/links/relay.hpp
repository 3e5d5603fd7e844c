#pragma once

#include "runtime/links/frame_filter.hpp"
#include "runtime/links/link_end.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>

namespace steadfast::runtime {

using tls_stream = boost::asio::ssl::stream<boost::asio::ip::tcp::socket>;

/// Copies bytes between TLS connections and the plain ends that CAF has, each until one side has closed: earlier data
/// is still passed on, for a few seconds.
class relays {
public:
  /// Is told of an address that was cut off, and why.
  using cut_off = std::function<void(const std::string& address, const std::string& why)>;

  relays();
  ~relays();
  relays(const relays&) = delete;
  relays& operator=(const relays&) = delete;

  /// The other end for this connection. Throws std::system_error when the process has no more sockets. REQUIRES:
  /// nothing is under way on the stream, and its executor is a strand.
  owned_socket begin(std::unique_ptr<tls_stream> connection);
  /// Likewise, to a client, which is cut off when it sends what the filter refuses; `told` gets the reason.
  owned_socket begin_for_client(std::unique_ptr<tls_stream> connection, frame_filter filter,
                                std::function<void(const std::string& why)> told);

  /// Waits until all have ended, which they do when CAF has closed its ends, but no longer than that.
  void wait(std::chrono::milliseconds limit);
  /// Those that are open.
  void break_off();

private:
  struct shared;
  class relay;
  struct client_watch {
    frame_filter filter;
    std::function<void(const std::string& why)> told;
  };

  owned_socket begin(std::unique_ptr<tls_stream> connection, std::unique_ptr<client_watch> watch);

  std::shared_ptr<shared> shared_;
};

} // namespace steadfast::runtime
