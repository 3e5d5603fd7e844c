#pragma once

#include "actors/agents/call_threads.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace steadfast::actors {

/// Finds the addresses of one host, on the thread of the loop. A name is looked up on a thread of its own, for which
/// nobody waits: neither the loop nor the destructor.
class name_lookup : public std::enable_shared_from_this<name_lookup> {
public:
  using addresses = std::vector<boost::asio::ip::address>;
  /// Empty: `fault` says why there are no addresses.
  using taker = std::function<void(const addresses&, const std::string& fault)>;

  name_lookup(boost::asio::io_context& io, std::string host);
  ~name_lookup();
  name_lookup(const name_lookup&) = delete;
  name_lookup& operator=(const name_lookup&) = delete;

  /// Calls `take` at once if the addresses are known. A name is looked up again after a short time.
  void find(taker take);
  /// None of the addresses answers: they will be looked up again.
  void forget();

private:
  /// How the thread reaches the loop.
  struct place {
    std::mutex mutex;
    boost::asio::io_context* io = nullptr; ///< null: it is gone
  };

  void begin();
  void take(addresses found, const std::string& fault);

  const std::string host_;
  boost::asio::steady_timer kept_;
  addresses known_;
  std::vector<taker> waiting_;
  std::shared_ptr<place> place_ = std::make_shared<place>();
  call_threads threads_{1};
};

} // namespace steadfast::actors
