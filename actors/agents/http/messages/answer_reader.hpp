#pragma once

#include "actors/agents/http/messages/http_reply.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace steadfast::actors {

/// Reads one answer of HTTP/1.0 or 1.1 as its bytes come. Interim answers (1xx) are skipped.
class answer_reader {
public:
  enum class state { goes_on, whole, has_large_headers, has_large_body, is_no_http };

  /// `has_no_body`: whatever its headers say, as in answer to HEAD.
  explicit answer_reader(std::uint64_t body_max, bool has_no_body = false);
  ~answer_reader();
  answer_reader(const answer_reader&) = delete;
  answer_reader& operator=(const answer_reader&) = delete;

  state take(std::string_view bytes);
  /// The connection was closed in order. An answer that says nothing of its length is whole then.
  state end();

  /// REQUIRES: it is whole.
  http_reply& reply() { return reply_; }
  /// Whether another request may follow on the connection. REQUIRES: it is whole.
  bool keeps_connection() const;

private:
  class parser;
  void begin();
  state read(std::string_view& bytes);
  state read_one(std::string_view& bytes);
  state put(std::string_view& bytes);

  const std::uint64_t body_max_;
  const bool has_no_body_;
  http_reply reply_;
  std::unique_ptr<parser> parser_;
  std::string rest_;          ///< what came and could not be read yet
  std::size_t size_read_ = 0; ///< bytes of it, and of interim answers before it
  bool has_begun_ = false;    ///< the parser has seen some of it
};

} // namespace steadfast::actors
