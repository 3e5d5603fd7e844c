#include "runtime/http/page.hpp"
#include "runtime/http/page_files.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

// The files that a browser gets; what it makes of them is tried in web/tests.

using namespace steadfast;
using namespace steadfast::runtime;

namespace {

std::string header_of(const http_response& r, const std::string& name) {
  const auto found = std::ranges::find(r.headers, name, [](const auto& h) { return h.first; });
  return found == r.headers.end() ? "" : found->second;
}

} // namespace

TEST_CASE("the page is at / and /index.html, and its files under /assets/") {
  CHECK_FALSE(page_of("/v1/tasks", true));
  CHECK_FALSE(page_of("/assets", true));
  CHECK_FALSE(page_of("/index.htm", true));
  const auto first = page_of("/", false);
  REQUIRE(first);
  CHECK(first->status == 200);
  CHECK(page_of("/index.html", false)->body == first->body);
  CHECK(page_of("/assets/none.js", true)->status == 404);
}

TEST_CASE("a program without the page says so, another one serves its files with a policy of their own") {
  const auto first = page_of("/", false);
  REQUIRE(first);
  if (page_files().empty()) {
    CHECK(first->type == "text/plain");
    CHECK(first->body.find("without its page") != std::string::npos);
    return;
  }
  CHECK(first->body.starts_with("<!doctype html>"));
  CHECK(header_of(*first, "Cache-Control") == "no-cache");
  for (const auto& f : page_files()) {
    const auto plain = page_of(std::string{f.path}, false);
    const auto packed = page_of(std::string{f.path}, true);
    REQUIRE(plain);
    REQUIRE(packed);
    CHECK(plain->body.size() == f.size);
    CHECK(header_of(*plain, "Content-Encoding").empty());
    CHECK(packed->body == f.packed);
    CHECK(header_of(*packed, "Content-Encoding") == "gzip");
    CHECK(header_of(*packed, "Content-Security-Policy").find("script-src 'self';") != std::string::npos);
  }
}
