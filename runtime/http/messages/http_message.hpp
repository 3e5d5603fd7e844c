#pragma once

#include "runtime/events/live_stream.hpp"

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace steadfast::runtime {

/// One request, whole.
struct http_request {
  boost::beast::http::request<boost::beast::http::string_body> message;
  std::string peer;             ///< address of the other end
  std::string certificate_name; ///< of a client whose certificate was checked; else empty
  bool is_encrypted = false;

  std::string_view header(boost::beast::http::field name) const {
    const auto value = message[name];
    return {value.data(), value.size()};
  }
  std::string_view header(std::string_view name) const {
    const auto value = message[{name.data(), name.size()}];
    return {value.data(), value.size()};
  }
};

struct http_response {
  unsigned status = 200;
  std::string type = "application/json";
  std::string body{};
  std::vector<std::pair<std::string, std::string>> headers{};
  std::shared_ptr<live_stream> events{}; ///< in place of a body
};
using http_reply = std::function<void(http_response)>;

/// Answers it, at once or later, once, from any thread. It may block the thread that calls it only as long as methods
/// do.
using http_handler = std::function<void(http_request, const http_reply& reply)>;

} // namespace steadfast::runtime
