// The HTTP API with certificates.

#include "apps/certificates/cluster_certificates.hpp"
#include "runtime/http/http_tls.hpp"
#include "steadfast/node_error.hpp"
#include "tests/runtime/http/http_node.hpp"
#include "tests/support/comes_true.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>

#include <catch2/catch.hpp>

#include <openssl/pem.h>
#include <openssl/x509.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

using namespace steadfast;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using std::chrono::days;
using tests::http_node;

namespace {

namespace fs = std::filesystem;
namespace http = boost::beast::http;
namespace ssl = boost::asio::ssl;

/// Certificates of a and b, and of the client desk.
struct http_certificates {
  http_certificates() { apps::make_certificates({path(), {"b"}, 825, {"a"}, {"desk"}}); }
  fs::path path() const { return folder.path() / "certs"; }
  tests::temp_folder folder;
};

http_server_options served_by(const http_certificates& c, bool takes_certificates) {
  http_server_options o;
  o.certificate = c.path() / "a.pem";
  o.key = c.path() / "a.key";
  if (takes_certificates)
    o.authority = c.path() / "authority.pem";
  return o;
}

struct tls_answer {
  unsigned status = 0; ///< 0: there was no connection
  std::string version;
  std::string subject; ///< of the server
};

/// A connection to the node, of a client with the certificate of that name, or with none.
struct tls_client {
  ssl::context context{ssl::context::tls_client};
  boost::asio::io_context io;
  std::optional<boost::beast::ssl_stream<boost::beast::tcp_stream>> stream;
  boost::system::error_code e; ///< of the handshake

  tls_client(const http_node& n, const http_certificates& c, const std::string& name = {},
             int version_max = TLS1_3_VERSION) {
    context.load_verify_file((c.path() / "authority.pem").string());
    context.set_verify_mode(ssl::verify_peer);
    SSL_CTX_set_max_proto_version(context.native_handle(), version_max);
    if (!name.empty()) {
      context.use_certificate_chain_file((c.path() / (name + ".pem")).string());
      context.use_private_key_file((c.path() / (name + ".key")).string(), ssl::context::pem);
    }
    stream.emplace(io, context);
    boost::beast::get_lowest_layer(*stream).connect(
      boost::asio::ip::tcp::endpoint{boost::asio::ip::make_address("127.0.0.1"), n.port()});
    stream->handshake(ssl::stream_base::client, e);
  }

  /// Sends these bytes and reads until the other end closes.
  std::string say(const std::string& bytes) {
    if (!e)
      boost::asio::write(*stream, boost::asio::buffer(bytes), e);
    std::string all;
    if (!e)
      boost::asio::read(*stream, boost::asio::dynamic_buffer(all), e);
    return all;
  }
};

/// A client that has got the first event, once there is a place for it.
std::unique_ptr<tls_client> followed_by_tls(const http_node& n, const http_certificates& c, const std::string& target) {
  std::unique_ptr<tls_client> made;
  REQUIRE(tests::comes_true([&] {
    made = std::make_unique<tls_client>(n, c);
    if (!made->e)
      boost::asio::write(*made->stream, boost::asio::buffer("GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n"),
                         made->e);
    std::string all;
    if (!made->e)
      boost::asio::read_until(*made->stream, boost::asio::dynamic_buffer(all), "event: ", made->e);
    return !made->e;
  }));
  return made;
}

tls_answer asked_by_tls(const http_node& n, const http_certificates& c, const std::string& name,
                        const std::string& target = "/v1/nodes", int version_max = TLS1_3_VERSION) {
  tls_client client{n, c, name, version_max};
  auto& [context, io, opened, e] = client;
  if (e)
    return {};
  auto& stream = *opened;
  http::request<http::empty_body> r{http::verb::get, target, 11};
  r.set(http::field::host, "localhost");
  http::write(stream, r, e);
  boost::beast::flat_buffer buffer;
  http::response<http::string_body> a;
  http::read(stream, buffer, a, e);
  auto* const shown = SSL_get1_peer_certificate(stream.native_handle());
  std::string subject(256, '\0');
  subject.resize(static_cast<std::size_t>(X509_NAME_get_text_by_NID(X509_get_subject_name(shown), NID_commonName,
                                                                    subject.data(), static_cast<int>(subject.size()))));
  X509_free(shown);
  return {e ? 0U : a.result_int(), SSL_get_version(stream.native_handle()), subject};
}

/// Of the certificate NAME.pem with the key NAME.key, from now on. It is then one that no authority vouches for.
void set_validity(const fs::path& name, days from, days until) {
  const auto opened = [&](const char* end, const char* mode) {
    return std::unique_ptr<BIO, decltype(&BIO_free)>{BIO_new_file((name.string() + end).c_str(), mode), BIO_free};
  };
  const std::unique_ptr<X509, decltype(&X509_free)> x{
    PEM_read_bio_X509(opened(".pem", "r").get(), nullptr, nullptr, nullptr), X509_free};
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key{
    PEM_read_bio_PrivateKey(opened(".key", "r").get(), nullptr, nullptr, nullptr), EVP_PKEY_free};
  X509_gmtime_adj(X509_getm_notBefore(x.get()), std::chrono::seconds{from}.count());
  X509_gmtime_adj(X509_getm_notAfter(x.get()), std::chrono::seconds{until}.count());
  REQUIRE(X509_sign(x.get(), key.get(), EVP_sha256()) > 0);
  REQUIRE(PEM_write_bio_X509(opened(".pem", "w").get(), x.get()) == 1);
}

/// Connections from eight addresses, so many from each, whose handshakes do not come to their end.
std::vector<tests::http_listener> unfinished_handshakes(const http_node& n, int from_each) {
  const std::string half{"\x16\x03\x01\x02\x00\x01\x00", 7};
  std::vector<tests::http_listener> made;
  for (int i = 0; i < from_each; ++i)
    for (int address = 2; address < 10; ++address) {
      made.push_back(tests::http_listener::from("127.0.0." + std::to_string(address), n));
      made.back().say(half);
    }
  return made;
}

} // namespace

TEST_CASE("http: with a certificate, only TLS 1.2 and 1.3 are spoken") {
  const http_certificates c;
  const http_node n{served_by(c, false)};
  const auto newest = asked_by_tls(n, c, "");
  CHECK(newest.status == 200);
  CHECK(newest.version == "TLSv1.3");
  CHECK(asked_by_tls(n, c, "", "/v1/nodes", TLS1_2_VERSION).version == "TLSv1.2");
  CHECK(asked_by_tls(n, c, "", "/v1/nodes", TLS1_1_VERSION).status == 0);
}

TEST_CASE("http: with a certificate, a request without TLS is told to use https, and nothing is done for it") {
  const http_certificates c;
  const http_node n{served_by(c, false)};
  const auto put = n.put_trip("a");
  CHECK(put.status == 400);
  CHECK(put.code() == "needs_https");
  CHECK_THAT(put.json().at("detail"), Contains("HTTPS") && Contains("https://"));
  CHECK(put.headers.at("connection") == "close");
  CHECK(put.body.find("ann") == std::string::npos); // of the payload
  CHECK(asked_by_tls(n, c, "", "/v1/tasks/a").status == 404);
  CHECK(n.say("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").starts_with("HTTP/1.1 400 Bad Request\r\n"));
  for (const auto* const before : {"\r\n", "\n", "\r\n\r\n"})
    CHECK(n.say(before + std::string{"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"}).starts_with("HTTP/1.1 400 "));
  CHECK(n.say("SSH-2.0-OpenSSH_9.2\r\n").starts_with("HTTP/1.1 400 Bad Request\r\n"));
  CHECK(n.say(std::string{"\x80\x2e\x01\x00", 4} + std::string(60, 'x')).find("HTTP") == std::string::npos);
}

TEST_CASE("http: with a certificate, a large request without TLS is answered before it was read") {
  const http_certificates c;
  const http_node n{served_by(c, false)};
  CHECK(n.ask("PUT", "/v1/tasks/a", std::string(8 << 20, 'x')).code() == "needs_https");
}

TEST_CASE("row 81: over TLS too a request that does not come to its end in time is told so") {
  const http_certificates c;
  auto o = served_by(c, false);
  o.request_limit = std::chrono::milliseconds{300};
  const http_node n{o};
  const std::string head = "PUT /v1/tasks/a HTTP/1.1\r\nHost: localhost\r\n";
  for (const auto& part : {head, head + "Content-Length: 5000\r\n\r\n{"}) {
    INFO(part);
    CHECK_THAT(tls_client(n, c).say(part), Contains("HTTP/1.1 408 ") && Contains("request_timeout"));
  }
}

TEST_CASE("row 117: over TLS too a client learns that all connections are in use, and when to come again") {
  const http_certificates c;
  auto o = served_by(c, false);
  o.connections_max = 2;
  const http_node n{o};
  const std::string to_localhost = " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";
  CHECK_THAT(
    tls_client(n, c).say("PUT /v1/tasks/a" + to_localhost + "Content-Length: 19\r\n\r\n{\"workflow\":\"trip\"}"),
    StartsWith("HTTP/1.1 201"));
  const auto get = "GET /v1/tasks/a" + to_localhost + "\r\n";
  {
    std::vector<std::unique_ptr<tls_client>> follow;
    for (int i = 0; i < 2; ++i)
      follow.push_back(followed_by_tls(n, c, "/v1/tasks/a/events"));
    for (int i = 0; i < 3; ++i)
      CHECK_THAT(tls_client(n, c).say(get), StartsWith("HTTP/1.1 503 ") && Contains("\r\nRetry-After: 1\r\n")
                                              && Contains("\r\nConnection: close\r\n") && Contains("\"busy\"")
                                              && Contains("http.connections_max"));
    CHECK(n.say(get).starts_with("HTTP/1.1 400 ")); // without TLS
  }
  CHECK(tests::comes_true([&] { return tls_client(n, c).say(get).starts_with("HTTP/1.1 200 "); }));
}

TEST_CASE("row 117: of clients over TLS for which there is no place only so many are told, and none takes one") {
  const http_certificates c;
  auto o = served_by(c, false);
  o.connections_max = 1;
  const http_node n{o};
  tls_client(n, c).say("PUT /v1/tasks/a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 19\r\n\r\n"
                       "{\"workflow\":\"trip\"}");
  const auto follows = followed_by_tls(n, c, "/v1/tasks/a/events");
  const std::string get = "GET /v1/tasks/a HTTP/1.1\r\nHost: localhost\r\n\r\n";
  std::vector<std::vector<tests::http_listener>> held;
  bool is_left_out = false;
  while (held.size() < 10 && !is_left_out) { // ten times eight are more than are told at a time
    held.push_back(unfinished_handshakes(n, 1));
    is_left_out = bool{tls_client(n, c).e};
  }
  CHECK(is_left_out);
  CHECK(tests::comes_true([&] { return tls_client(n, c).say(get).starts_with("HTTP/1.1 503 "); })); // they are gone
}

TEST_CASE("http: a client's certificate stands for a token, if the authority vouches for it") {
  const http_certificates c;
  const http_certificates others;
  const http_node n{served_by(c, true)};
  CHECK(asked_by_tls(n, c, "desk").status == 200);
  CHECK(asked_by_tls(n, c, "").status == 401);
  CHECK(asked_by_tls(n, c, "", "/health/live").status == 200);
  fs::copy_file(others.path() / "desk.pem", c.path() / "stranger.pem");
  fs::copy_file(others.path() / "desk.key", c.path() / "stranger.key");
  CHECK(asked_by_tls(n, c, "stranger").status == 0);
}

TEST_CASE("http: certificates are read anew when the node is told to, and wrong ones change nothing") {
  const http_certificates c;
  http_node n{served_by(c, false)};
  CHECK(asked_by_tls(n, c, "").subject == "a");
  fs::rename(c.path() / "b.pem", c.path() / "a.pem");
  CHECK_NOTHROW(n.reload_certificates()); // its key is another one: the log says so
  CHECK(asked_by_tls(n, c, "").subject == "a");
  fs::rename(c.path() / "b.key", c.path() / "a.key");
  n.reload_certificates();
  CHECK(asked_by_tls(n, c, "").subject == "b");
}

TEST_CASE(
  "http: a certificate that has ended, or has not begun, is told before a start and never taken up by a reload") {
  const http_certificates c;
  const auto o = served_by(c, false);
  CHECK(runtime::why_untimely(o).empty());
  http_node n{o};
  for (const auto& [from, until, told] :
       {std::tuple{-days{9}, -days{1}, "ended on "}, std::tuple{days{1}, days{9}, "is not valid before "}}) {
    INFO(told);
    set_validity(c.path() / "a", from, until);
    CHECK_THAT(runtime::why_untimely(o), Contains("http.certificate: ") && Contains(told));
    n.reload_certificates();
    CHECK(asked_by_tls(n, c, "").subject == "a"); // by the one before
  }
  const http_node late{o}; // its tasks go on
  CHECK(asked_by_tls(late, c, "").status == 0);
}

TEST_CASE("http: a node whose files are wrong does not start, and says which") {
  const http_certificates c;
  auto o = served_by(c, false);
  const auto why = [&] {
    try {
      const http_node n{o};
      return std::string{"none"};
    } catch (const node_error& e) {
      return std::string{e.what()};
    }
  };
  o.key = c.path() / "b.key";
  CHECK_THAT(why(), Contains("http.key: ") && Contains("is not the key of"));
  o.key = c.path() / "none.key";
  CHECK_THAT(why(), Contains("http.key: ") && Contains("cannot be read"));
  o = served_by(c, false);
  fs::permissions(o.key, fs::perms::others_read, fs::perm_options::add);
  CHECK_THAT(why(), Contains("can be read by other users") && Contains("chmod 600"));
  o = {};
  o.tokens = c.path() / "tokens.json";
  CHECK_THAT(why(), Contains("http.tokens: ") && Contains("steadfast token create"));
}

TEST_CASE("row 117: unfinished handshakes of several addresses make way for a client at once") {
  const http_certificates c;
  auto o = served_by(c, false);
  o.connections_max = 60;
  const http_node n{o};
  for (int i = 0; i < 3; ++i) {
    const auto held = unfinished_handshakes(n, 10);
    CHECK(asked_by_tls(n, c, "", "/health/live").status == 200);
  }
}
