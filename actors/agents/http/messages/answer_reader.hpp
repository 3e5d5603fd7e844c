#pragma once

#include "actors/agents/http/messages/http_reply.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace steadfast::actors {

/// Reads one answer of HTTP/1.0 or 1.1 as its bytes come in. Interim answers (1xx) are skipped.
class answer_reader {
public:
  enum class state { goes_on, whole, has_large_headers, has_large_body, is_no_http };

  /// `has_no_body`: the answer has no body, whatever its headers say, as in answer to HEAD.
  explicit answer_reader(std::uint64_t body_max, bool has_no_body = false);
  ~answer_reader();
  answer_reader(const answer_reader&) = delete;
  answer_reader& operator=(const answer_reader&) = delete;

  state take(std::string_view bytes);
  /// The connection was closed in order. An answer that does not state its length is then whole.
  state end();

  /// REQUIRES: the answer is whole.
  http_reply& reply() { return reply_; }
  /// Whether another request may follow on the connection. REQUIRES: the answer is whole.
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
  std::size_t size_read_ = 0; ///< bytes of the answer, and of interim answers before it
  bool has_begun_ = false;    ///< the parser has seen some of the answer
};

} // namespace steadfast::actors
