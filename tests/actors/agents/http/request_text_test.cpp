#include "actors/agents/http/messages/request_text.hpp"

#include "tests/actors/agents/collected_answers.hpp"

#include <catch2/catch.hpp>

using namespace steadfast::actors;
using steadfast::tests::call_with;

namespace {

http_options to_refund() {
  http_options o;
  o.url = "http://127.0.0.1:8097/refund?x=1";
  return o;
}

} // namespace

TEST_CASE("a request for an undo is that of the documents") {
  auto c = call_with("{\"payment\":\"p-o-1/charge\"}");
  c.action = steadfast::workflow::attempt_action::compensate;
  c.key = "o-1/charge/undo";
  c.reverses = "o-1/charge";
  CHECK(request_text{to_refund(), read_url(to_refund().url), {}}.of(c)
        == "POST /refund?x=1 HTTP/1.1\r\n"
           "Host: 127.0.0.1:8097\r\n"
           "Accept: */*\r\n"
           "Content-Type: application/json\r\n"
           "Idempotency-Key: o-1/charge/undo\r\n"
           "Steadfast-Reverses: o-1/charge\r\n"
           "Steadfast-Task: order-1\r\n"
           "Steadfast-Step: charge\r\n"
           "Steadfast-Action: undo\r\n"
           "Steadfast-Attempt: 2\r\n"
           "Steadfast-Try: 1\r\n"
           "Steadfast-Epoch: 7\r\n"
           "Steadfast-Complete-By: 2026-01-01T12:00:30.000Z\r\n"
           "Steadfast-Time-Left: 30000\r\n"
           "Content-Length: 26\r\n\r\n"
           "{\"payment\":\"p-o-1/charge\"}");
}

TEST_CASE("configured headers take the place of those of every request") {
  auto o = to_refund();
  o.headers = {{"host", "other"}, {"ACCEPT", "text/plain"}, {"content-type", "text/csv"}, {"X", "y"}};
  const auto nothing_more = [](const call&, const add_header&) {};
  CHECK(request_text{o, read_url(o.url), nothing_more}.of(call_with(""))
        == "POST /refund?x=1 HTTP/1.1\r\nACCEPT: text/plain\r\nX: y\r\ncontent-type: text/csv\r\nhost: other\r\n"
           "Content-Length: 0\r\n\r\n");
}

TEST_CASE("a proxy is told the whole URL, and who asks") {
  const auto o = to_refund();
  CHECK_THAT((request_text{o, read_url(o.url), {}, true, basic_authorization("user", "word")}.of(call_with("{}"))),
             Catch::StartsWith("POST http://127.0.0.1:8097/refund?x=1 HTTP/1.1\r\nHost: 127.0.0.1:8097\r\n"
                               "Accept: */*\r\nProxy-Authorization: Basic dXNlcjp3b3Jk\r\n"));
}

TEST_CASE("control characters do not end a header") {
  std::string text;
  add_line(text, "A", "b\r\nC: d\x7F\te\x01");
  add_line(text, "Empty", " \t");
  CHECK(text == "A: b%0D%0AC: d%7F\te%01\r\n");
}
