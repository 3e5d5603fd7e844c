// What somebody sends to a node's HTTP port: as long as the bytes are requests they are answered with documented
// statuses and problems, and the node lives on. The input is what the client sends before it ends its side.

#include "tests/fuzz/support/asked_node.hpp"
#include "tests/fuzz/support/fuzz.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

using namespace steadfast;
using nlohmann::json;

namespace {

namespace net = boost::asio;
namespace http = boost::beast::http;
using answer = http::response<http::string_body>;

void check_problem(const answer& a) {
  const auto p = json::parse(a.body(), nullptr, false);
  fuzz::expect(p.is_object() && p.value("status", 0U) == a.result_int(), "a problem has its status", a.body());
  fuzz::expect(!p.value("code", "").empty() && !p.value("detail", "").empty(), "a problem has a code and says why",
               a.body());
}

void check(const answer& a) {
  constexpr std::array statuses{200, 201, 204, 304, 400, 403, 404, 405, 409, 413, 415, 421, 422, 431, 503, 504};
  fuzz::expect(std::find(statuses.begin(), statuses.end(), static_cast<int>(a.result_int())) != statuses.end(),
               "a status is documented", std::to_string(a.result_int()) + " " + a.body());
  const auto type = a[http::field::content_type];
  const bool is_packed = !a[http::field::content_encoding].empty();
  if (a.result_int() >= 400 && !is_packed)
    check_problem(a);
  else if (type == "application/json" && !is_packed && !a.body().empty())
    fuzz::expect(json::accept(a.body()), "what is called JSON is JSON", a.body());
}

/// The fuzzer's clock interrupts who waits.
template <class Parser>
void read_all(boost::beast::tcp_stream& s, boost::beast::flat_buffer& buffer, Parser& into,
              boost::system::error_code& e) {
  do
    http::read(s, buffer, into, e);
  while (e == net::error::interrupted);
}

/// Looks at what is answered until the connection ends.
void read_answers(boost::beast::tcp_stream& s, bool may_be_head) {
  boost::beast::flat_buffer buffer;
  for (;;) {
    http::response_parser<http::string_body> parser;
    parser.body_limit(64 << 20);
    parser.skip(may_be_head); // then bodies are not looked at
    boost::system::error_code e;
    read_all(s, buffer, parser, e);
    if (e == http::error::end_of_stream || e == net::error::connection_reset || may_be_head)
      return;
    fuzz::expect(!e, "an answer is HTTP", e.message());
    if (parser.get().result_int() != 100)
      check(parser.get());
  }
}

bool is_live(const net::ip::tcp::endpoint& at) {
  net::io_context io;
  boost::beast::tcp_stream s{io};
  s.connect(at);
  http::request<http::empty_body> r{http::verb::get, "/health/live", 11};
  r.set(http::field::host, "localhost");
  r.set(http::field::connection, "close");
  http::write(s, r);
  boost::beast::flat_buffer buffer;
  http::response_parser<http::string_body> parser;
  boost::system::error_code e;
  read_all(s, buffer, parser, e);
  return !e && parser.get().result_int() == 200;
}

} // namespace

void fuzz::try_input(std::string_view input) {
  if (input.find("wait") != std::string_view::npos || input.find("events") != std::string_view::npos)
    return; // these take their time
  auto& node = asked_node::get();
  const net::ip::tcp::endpoint at{net::ip::make_address("127.0.0.1"), node.http_port()};
  net::io_context io;
  boost::beast::tcp_stream s{io};
  s.connect(at);
  boost::system::error_code e;
  net::write(s, net::buffer(input.data(), input.size()), e);
  s.socket().shutdown(net::ip::tcp::socket::shutdown_send, e);
  read_answers(s, input.find("HEAD") != std::string_view::npos);
  expect(is_live(at), "the node lives");
  node.tidy_up();
}
