#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <memory>
#include <thread>

namespace steadfast::actors {

/// A thread with an event loop, on which any number of callers make their calls. The destructor waits for what was
/// posted before it, and for nothing else.
class http_loop {
public:
  http_loop();
  ~http_loop();
  http_loop(const http_loop&) = delete;
  http_loop& operator=(const http_loop&) = delete;

  boost::asio::io_context& io() { return *io_; }

private:
  std::shared_ptr<boost::asio::io_context> io_; ///< shared with the thread: the last holder of the loop may be on it
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> always_work_;
  std::thread thread_;
};

} // namespace steadfast::actors
