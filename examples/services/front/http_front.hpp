#pragma once

#include "examples/services/front/service.hpp"

#include <httplib.h>

#include <thread>

namespace services {

/// Serves a service over HTTP.
class http_front {
public:
  http_front(service& s, std::size_t threads);
  ~http_front();
  http_front(const http_front&) = delete;
  http_front& operator=(const http_front&) = delete;

  /// Binds, 0 for any free port, and begins to serve. The answer is the port; 0 when it could not be bound.
  int start(const std::string& address, int port);

  /// Lets held requests go, closes the connections and waits for all of it.
  void stop();

private:
  void route(action what, const std::string& path);
  void route_the_rest();

  service& service_;
  httplib::Server server_;
  int listener_ = -1;
  std::thread thread_;
};

} // namespace services
