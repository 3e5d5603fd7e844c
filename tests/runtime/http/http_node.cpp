#include "tests/runtime/http/http_node.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include <algorithm>

namespace steadfast::tests {

namespace {

namespace net = boost::asio;
namespace http = boost::beast::http;
using net::ip::tcp;

node_options options_of(const http_server_options& o, const temp_folder& folder, std::uint16_t port) {
  node_options n;
  n.store.path = folder.path() / "store";
  n.socket.clear();
  n.http = o;
  n.http.listen = "127.0.0.1:" + std::to_string(port);
  return n;
}

tcp::endpoint place_of(std::uint16_t port) {
  return {net::ip::make_address("127.0.0.1"), port};
}

std::string request_text(const std::string& target, const http_headers& headers) {
  auto text = "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n";
  for (const auto& [name, value] : headers)
    text += name + ": " + value + "\r\n";
  return text + "\r\n";
}

} // namespace

http_node::http_node(const http_server_options& o, std::function<void(const temp_folder&)> prepare)
    : running_{[&] {
        if (prepare)
          prepare(folder_);
        return options_of(o, folder_, port_);
      }()} {
  workflow::definition d;
  d.name = "trip";
  d.steps.resize(1);
  d.steps[0].name = "ride";
  d.steps[0].agent = "taxi";
  running_.add_workflow(d);
  d.name = "other";
  running_.add_workflow(d);
  actors::agent_options many;
  many.concurrency = 64;
  node_inside{running_}.add_agent("taxi", actors::blocking_function{[g = gate_](const actors::call& c) {
                                    std::unique_lock lock{g->mutex};
                                    while (!g->is_open && !c.stop.stop_requested())
                                      g->changed.wait_for(lock, std::chrono::milliseconds{10});
                                    return actors::succeeded(R"({"car":7})");
                                  }},
                                  many);
  running_.start();
}

http_node::~http_node() {
  let_end();
}

void http_node::let_end() {
  const std::lock_guard lock{gate_->mutex};
  gate_->is_open = true;
  gate_->changed.notify_all();
}

void http_node::restart() {
  running_.stop();
  running_.start();
}

http_answer http_node::ask(const std::string& verb, const std::string& target, const std::string& body,
                           const http_headers& headers) const {
  return ask_at(port_, verb, target, body, headers);
}

http_answer ask_at(std::uint16_t port, const std::string& verb, const std::string& target, const std::string& body,
                   const http_headers& headers) {
  net::io_context io;
  boost::beast::tcp_stream stream{io};
  stream.connect(place_of(port));
  http::request<http::string_body> r;
  r.method_string(verb);
  r.target(target);
  r.version(11);
  r.set(http::field::host, "localhost");
  for (const auto& [name, value] : headers)
    r.set(name, value);
  r.body() = body;
  r.prepare_payload();
  http::write(stream, r);
  boost::beast::flat_buffer buffer;
  http::response_parser<http::string_body> parser;
  parser.skip(verb == "HEAD");
  boost::system::error_code e;
  http::read(stream, buffer, parser, e);
  if (e)
    return {};
  http_answer a{parser.get().result_int(), {}, parser.get().body()};
  for (const auto& h : parser.get()) {
    std::string name{h.name_string().data(), h.name_string().size()};
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    a.headers[name] = std::string{h.value().data(), h.value().size()};
  }
  return a;
}

std::string http_node::say(const std::string& bytes, std::chrono::milliseconds limit) const {
  net::io_context io;
  boost::beast::tcp_stream stream{io};
  stream.connect(place_of(port_));
  boost::system::error_code e;
  net::write(stream, net::buffer(bytes), e);
  std::string all;
  std::array<char, 4096> piece{};
  std::function<void()> read = [&] {
    stream.async_read_some(net::buffer(piece), [&](const boost::system::error_code& error, std::size_t size) {
      all.append(piece.data(), size);
      if (!error)
        read();
    });
  };
  stream.expires_after(limit);
  read();
  io.run();
  return all;
}

struct http_listener::connection {
  net::io_context io;
  tcp::socket socket{io};
  net::streambuf read;
};

http_listener::http_listener() : connection_{std::make_unique<connection>()} {}

http_listener::http_listener(const http_node& n, const std::string& target, const http_headers& headers)
    : http_listener{} {
  connection_->socket.connect(place_of(n.port()));
  say(request_text(target, headers));
}

http_listener http_listener::from(const std::string& address, const http_node& n) {
  http_listener made;
  made.connection_->socket.open(tcp::v4());
  made.connection_->socket.bind({net::ip::make_address(address), 0});
  made.connection_->socket.connect(place_of(n.port()));
  return made;
}

http_listener::http_listener(http_listener&&) noexcept = default;
http_listener::~http_listener() = default;

void http_listener::say(const std::string& bytes) {
  net::write(connection_->socket, net::buffer(bytes));
}

std::string http_listener::next(const std::string& end) {
  boost::system::error_code e;
  auto size = net::read_until(connection_->socket, connection_->read, end, e);
  if (e)
    size = connection_->read.size();
  const auto* const from = static_cast<const char*>(connection_->read.data().data());
  std::string text{from, from + size};
  connection_->read.consume(size);
  return text;
}

http_listener::event http_listener::next_event() {
  for (;;) {
    const auto text = next();
    if (text.empty())
      return {};
    event e;
    for (std::size_t at = 0; at < text.size();) {
      const auto end = text.find('\n', at);
      const auto line = text.substr(at, end - at);
      at = end + 1;
      if (line.starts_with("id: "))
        e.id = line.substr(4);
      else if (line.starts_with("event: "))
        e.kind = line.substr(7);
      else if (line.starts_with("data: "))
        e.data = nlohmann::json::parse(line.substr(6));
    }
    if (!e.kind.empty())
      return e;
  }
}

} // namespace steadfast::tests
