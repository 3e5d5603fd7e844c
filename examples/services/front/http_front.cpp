#include "examples/services/front/http_front.hpp"

#include "examples/services/front/connections.hpp"

#include <sys/socket.h>

#include <cmath>
#include <exception>
#include <future>
#include <string>

namespace services {

namespace {

constexpr std::size_t body_size_max = 2 << 20;

void send(httplib::Response& to, const httplib::Request& asked, const reply& r) {
  if (r.close)
    close_connection_from(asked.remote_port);
  to.status = r.status;
  if (r.retry_after_seconds > 0)
    to.set_header("Retry-After", std::to_string(std::lround(std::ceil(r.retry_after_seconds))));
  to.set_content(r.body.dump(-1, ' ', false, json::error_handler_t::replace) + "\n", "application/json");
}

reply handle(service& s, action what, const httplib::Request& asked) {
  call c;
  const auto header = [&](const char* name) { return asked.get_header_value(name); };
  const auto wrong = read_call(c, what, header, asked.body);
  const auto hang_up = [&asked] { close_connection_from(asked.remote_port); };
  return wrong.empty() ? s.handle(c, hang_up) : service::bad_request(wrong);
}

void answer_exception(const httplib::Request& asked, httplib::Response& to, const std::exception_ptr& thrown) {
  reply r{500, {{"error", "unknown"}}, 0, false};
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& e) {
    r.body["error"] = e.what();
  } catch (...) {
  }
  send(to, asked, r);
}

} // namespace

http_front::http_front(service& s, std::size_t threads) : service_{s} {
  server_.new_task_queue = [threads] { return new httplib::ThreadPool{threads}; };
  server_.set_tcp_nodelay(true);
  server_.set_socket_options([this](int listener) {
    listener_ = listener;
    const int on = 1; // but not SO_REUSEPORT, which is the library's choice: two services would share a port
    ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  });
  server_.set_payload_max_length(body_size_max);
  server_.set_keep_alive_max_count(1'000'000'000);
  server_.set_exception_handler(answer_exception);
  route(action::perform, "/" + std::string{service_.what().operation});
  route(action::undo, "/undo");
  route(action::probe, "/probe");
  route_the_rest();
}

http_front::~http_front() {
  stop();
}

void http_front::route(action what, const std::string& path) {
  const auto handler = [this, what](const httplib::Request& asked, httplib::Response& to) {
    send(to, asked, handle(service_, what, asked));
  };
  server_.Post(path, handler);
  if (what == action::probe)
    server_.Get(path, handler);
}

void http_front::route_the_rest() {
  server_.Get("/health", [this](const httplib::Request& asked, httplib::Response& to) {
    send(to, asked, service_.show_health());
  });
  server_.Get("/stats",
              [this](const httplib::Request& asked, httplib::Response& to) { send(to, asked, service_.show_stats()); });
  server_.Get("/faults", [this](const httplib::Request& asked, httplib::Response& to) {
    send(to, asked, service_.show_faults());
  });
  server_.Post("/faults", [this](const httplib::Request& asked, httplib::Response& to) {
    send(to, asked, service_.change_faults(asked.body));
  });
}

int http_front::start(const std::string& address, int port) {
  if (port == 0)
    port = server_.bind_to_any_port(address);
  else if (!server_.bind_to_port(address, port))
    port = 0;
  if (port <= 0)
    return 0;
  ::listen(listener_, SOMAXCONN); // the library asks for room for 5 connections; more at once would wait for seconds
  thread_ = std::thread{[this] { server_.listen_after_bind(); }};
  while (!server_.is_running()) // until then it could not be stopped
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  return port;
}

void http_front::stop() {
  if (!thread_.joinable())
    return;
  service_.let_all_go();
  server_.stop();
  auto ended = std::async(std::launch::async, [this] { thread_.join(); });
  while (ended.wait_for(std::chrono::milliseconds{20}) != std::future_status::ready)
    stop_reading_from_all();
}

} // namespace services
