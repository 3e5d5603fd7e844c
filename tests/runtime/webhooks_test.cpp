#include "runtime/configuration/config_file.hpp"
#include "runtime/node/webhooks.hpp"
#include "runtime/toml/config_error.hpp"

#include <catch2/catch.hpp>

using namespace steadfast;
using Catch::Matchers::Contains;

namespace {

std::string complaints_about(const std::string& webhook) {
  try {
    parse_config("[[webhook]]\n" + webhook, "node.toml");
    return "";
  } catch (const runtime::config_error& e) {
    return e.what();
  }
}

} // namespace

TEST_CASE("webhooks are signed as the example of Standard Webhooks is") {
  const auto key = signing_key("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
  REQUIRE(key);
  const auto headers =
    webhook_headers("msg_p5jXN8AQM9LWM0D4loKWxJek", "{\"test\": 2432232314}", 1614265330, {*key, *key});
  REQUIRE(headers.size() == 3);
  CHECK(headers[0] == std::pair<std::string, std::string>{"webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek"});
  CHECK(headers[1] == std::pair<std::string, std::string>{"webhook-timestamp", "1614265330"});
  const std::string signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
  CHECK(headers[2] == std::pair<std::string, std::string>{"webhook-signature", signature + " " + signature});
  CHECK(webhook_headers("a", "{}", 1, {}).size() == 2);
}

TEST_CASE("a key for signatures is base64 of 24 to 64 bytes, with its prefix") {
  CHECK(signing_key("whsec_" + std::string(32, 'A'))->size() == 24);
  CHECK(signing_key("whsec_" + std::string(86, 'A') + "==")->size() == 64);
  CHECK_FALSE(signing_key("whsec_" + std::string(28, 'A')));
  CHECK_FALSE(signing_key("whsec_" + std::string(88, 'A')));
  CHECK_FALSE(signing_key(std::string(32, 'A')));
  CHECK_FALSE(signing_key("whsec_" + std::string(31, 'A') + "!"));
  CHECK_FALSE(signing_key(""));
}

TEST_CASE("the mistakes of a webhook's table are named") {
  const std::string well = "name = \"page\"\nurl = \"https://page.example/hook\"\n";
  const std::string events = "events = [\"error\", \"incident\"]\n";
  CHECK(complaints_about(well + events) == "");
  CHECK_THAT(complaints_about(well), Contains("events must name at least one of"));
  CHECK_THAT(complaints_about(well + "events = [\"errors\"]"), Contains("there is no `errors`"));
  CHECK_THAT(complaints_about("name = \"page\"\n" + events), Contains("neither a url nor a program"));
  CHECK_THAT(complaints_about(well + events + "program = \"/bin/cat\""), Contains("both a url and a program"));
  CHECK_THAT(complaints_about(well + events + "give_up_after = \"0s\""), Contains("give_up_after"));
  CHECK_THAT(complaints_about(well + events + "permanent = [\"4xx\"]"), Contains("permanent"));
  CHECK_THAT(complaints_about(well + events + "secret = \"whsec_x\""), Contains("env") && !Contains("whsec_x"));
  setenv("TOO_SHORT", "whsec_AAAA", 1);
  CHECK_THAT(complaints_about(well + events + "secret = { env = \"TOO_SHORT\" }"), Contains("24 to 64 bytes"));
  CHECK_THAT(complaints_about(well + events + "[[webhook]]\n" + well + events), Contains("there are two of that name"));
}
