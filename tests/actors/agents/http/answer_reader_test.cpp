#include "actors/agents/http/messages/answer_reader.hpp"

#include <catch2/catch.hpp>

#include <optional>
#include <string>

using namespace steadfast::actors;
using state = answer_reader::state;

namespace {

constexpr std::uint64_t body_max = 100;

struct read_answer {
  state last = state::goes_on;
  http_reply reply;
  bool keeps_connection = false;
};

/// In pieces of that size, after which the connection ends if it is not whole.
read_answer read(const std::string& bytes, std::size_t piece, bool has_no_body = false) {
  answer_reader r{body_max, has_no_body};
  read_answer a;
  for (std::size_t i = 0; i < bytes.size() && a.last == state::goes_on; i += piece)
    a.last = r.take(std::string_view{bytes}.substr(i, piece));
  if (a.last == state::goes_on)
    a.last = r.end();
  if (a.last == state::whole) {
    a.keeps_connection = r.keeps_connection();
    a.reply = r.reply();
  }
  return a;
}

/// In one piece and in others: it must make no difference.
read_answer read(const std::string& bytes) {
  const auto at_once = read(bytes, bytes.size());
  for (const std::size_t piece : {1UL, 2UL, 3UL, 7UL, 40UL}) {
    INFO(piece << " bytes at a time: " << bytes);
    const auto a = read(bytes, piece);
    CHECK(a.last == at_once.last);
    CHECK(a.reply.status == at_once.reply.status);
    CHECK(a.reply.body == at_once.reply.body);
    CHECK(a.reply.happened == at_once.reply.happened);
    CHECK(a.reply.retry_after == at_once.reply.retry_after);
  }
  return at_once;
}

} // namespace

TEST_CASE("an answer ends where its length says, and keeps its connection") {
  const auto a = read("HTTP/1.1 201 Created\r\nretry-AFTER:  7 \r\nSteadfast-Happened: no\r\nX: y\r\n"
                      "Content-Length: 5\r\n\r\nhello");
  CHECK(a.last == state::whole);
  CHECK(a.reply.status == 201);
  CHECK(a.reply.body == "hello");
  CHECK(a.reply.retry_after == "7");
  CHECK(a.reply.happened == "no");
  CHECK(a.keeps_connection);
}

TEST_CASE("an answer in chunks is put together, and its trailer is of no interest") {
  const auto a = read("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                      "3\r\nhel\r\n2;a=b\r\nlo\r\n0\r\nSteadfast-Happened: no\r\n\r\n");
  CHECK(a.last == state::whole);
  CHECK(a.reply.body == "hello");
  CHECK(a.reply.happened.empty());
  CHECK(a.keeps_connection);
}

TEST_CASE("an answer that does not say its length ends with the connection") {
  for (const auto* head : {"HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.0 200 OK\r\n\r\n"}) {
    const auto a = read(head + std::string{"hello"});
    CHECK(a.last == state::whole);
    CHECK(a.reply.body == "hello");
    CHECK_FALSE(a.keeps_connection);
  }
}

TEST_CASE("whether a connection is kept is for the service to say") {
  const auto keeps = [](const std::string& first, const std::string& header) {
    return read(first + header + "Content-Length: 0\r\n\r\n").keeps_connection;
  };
  CHECK(keeps("HTTP/1.1 200 OK\r\n", ""));
  CHECK_FALSE(keeps("HTTP/1.1 200 OK\r\n", "Connection: close\r\n"));
  CHECK_FALSE(keeps("HTTP/1.0 200 OK\r\n", ""));
  CHECK(keeps("HTTP/1.0 200 OK\r\n", "Connection: keep-alive\r\n"));
  const std::string more = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 500 Unasked\r\n";
  CHECK_FALSE(read(more, more.size()).keeps_connection);
}

TEST_CASE("an answer cut off is none") {
  for (const std::string cut :
       {"", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", "HTTP/1.1 100 Continue\r\n\r\n"})
    CHECK(read(cut).last == state::goes_on);
}

TEST_CASE("answers have a body only where there is one") {
  CHECK(read("HTTP/1.1 204 No Content\r\n\r\n").last == state::whole);
  CHECK(read("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n").last == state::whole);
  const std::string to_head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";
  CHECK(read(to_head, to_head.size(), true).last == state::whole);
}

TEST_CASE("interim answers are skipped, but not without end") {
  const std::string interim = "HTTP/1.1 103 Early Hints\r\nRetry-After: 9\r\n\r\n";
  const auto a = read("HTTP/1.1 100 Continue\r\n\r\n" + interim + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
  CHECK(a.last == state::whole);
  CHECK(a.reply.status == 200);
  CHECK(a.reply.retry_after.empty());
  CHECK(a.keeps_connection);
  std::string many;
  while (many.size() < headers_max)
    many += interim;
  CHECK(read(many, many.size()).last == state::has_large_headers);
  CHECK(read(many, 1000).last == state::has_large_headers);
}

TEST_CASE("who changes the protocol unasked has answered, and the connection is of no use") {
  const auto a = read("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n");
  CHECK(a.last == state::whole);
  CHECK(a.reply.status == 101);
  CHECK_FALSE(a.keeps_connection);
}

TEST_CASE("a status may stand without a reason and the space before it") {
  const auto a = read("HTTP/1.1 200\r\nContent-Length: 2\r\n\r\n{}");
  CHECK(a.last == state::whole);
  CHECK(a.reply.status == 200);
  CHECK(a.reply.body == "{}");
}

TEST_CASE("what is no HTTP is known as soon as it can be") {
  for (const std::string bad : {"SORRY", "{\"done\":true}", "HTTP/2 200\r\n\r\n", "HTTP/1.1 abc OK\r\n\r\n",
                                "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", "HTTP/1.1 200 OK\r\nX y\r\n\r\n",
                                "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"}) {
    INFO(bad);
    answer_reader r{body_max};
    CHECK(r.take(bad) == state::is_no_http);
  }
}

TEST_CASE("the headers of an answer and its body are bounded") {
  const auto with_header = [](std::size_t size) {
    return "HTTP/1.1 200 OK\r\nX: " + std::string(size, 'x') + "\r\nContent-Length: 0\r\n\r\n";
  };
  for (const std::size_t piece : {std::size_t{1000}, std::size_t{1} << 20}) {
    CHECK(read(with_header(60'000), piece).last == state::whole);
    CHECK(read(with_header(headers_max), piece).last == state::has_large_headers);
  }
  const std::string endless(headers_max + 10, 'x');
  CHECK(read("HTTP/1.1 200 OK\r\nX: " + endless, 1000).last == state::has_large_headers);
  const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  CHECK(read(chunked + "1;" + endless, 1000).last == state::has_large_headers);
  CHECK(read(chunked + "0\r\nX: " + endless, 1000).last == state::has_large_headers);

  const auto of_size = [](std::size_t n) { return std::string(n, 'b'); };
  const std::string head = "HTTP/1.1 200 OK\r\n";
  CHECK(read(head + "Content-Length: 100\r\n\r\n" + of_size(100)).last == state::whole);
  CHECK(read(head + "Content-Length: 101\r\n\r\n").last == state::has_large_body);
  CHECK(read(head + "\r\n" + of_size(100)).last == state::whole);
  CHECK(read(head + "\r\n" + of_size(101)).last == state::has_large_body);
  CHECK(read(chunked + "32\r\n" + of_size(50) + "\r\n33\r\n").last == state::has_large_body);
}

TEST_CASE("row 144: the length that an answer claims is not believed, also when some of the body comes with it") {
  for (const std::string length : {"101", "999999999999999999", "18446744073709551614"})
    CHECK(read("HTTP/1.1 200 OK\r\nContent-Length: " + length + "\r\n\r\n{}").last == state::has_large_body);
  CHECK(read("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n{}").last == state::is_no_http);
}
