#include "actors/agents/http/messages/answer_reader.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include <algorithm>

namespace steadfast::actors {

namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;

constexpr std::string_view first_word = "HTTP/1.";
constexpr std::string_view line_end = "\r\n";
constexpr std::size_t status_end = 12; ///< of "HTTP/1.1 200"
constexpr int switching_protocols = 101;

answer_reader::state state_of(const beast::error_code& e) {
  if (e == http::error::body_limit)
    return answer_reader::state::has_large_body;
  if (e == http::error::header_limit)
    return answer_reader::state::has_large_headers;
  return answer_reader::state::is_no_http;
}

} // namespace

/// Keeps of an answer what is asked for, in place of all its headers.
class answer_reader::parser : public http::basic_parser<false> {
public:
  parser(http_reply& into, std::uint64_t body_max) : into_{into}, body_max_{body_max} {}

  bool is_interim() const { return into_.status / 100 == 1 && into_.status != switching_protocols; }

private:
  using error_code = beast::error_code;
  using text = beast::string_view;

  void on_request_impl(http::verb, text, text, int, error_code&) override {}
  void on_response_impl(int code, text, int, error_code&) override { into_.status = code; }
  void on_field_impl(http::field name, text name_text, text value, error_code&) override {
    if (is_header_done_) // of a trailer, which nobody asked for
      return;
    if (name == http::field::retry_after)
      into_.retry_after.assign(value.data(), value.size());
    else if (name == http::field::unknown && beast::iequals(name_text, "steadfast-happened"))
      into_.happened.assign(value.data(), value.size());
  }
  void on_header_impl(error_code&) override { is_header_done_ = true; }
  /// Beast forgets that the length is above its limit when some of the body came with the headers.
  void on_body_init_impl(const boost::optional<std::uint64_t>& length, error_code& e) override {
    if (length && *length > body_max_)
      e = http::error::body_limit;
    else if (length)
      into_.body.reserve(*length);
  }
  std::size_t on_body_impl(text part, error_code&) override {
    into_.body.append(part.data(), part.size());
    return part.size();
  }
  void on_chunk_header_impl(std::uint64_t, text, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, text part, error_code& e) override { return on_body_impl(part, e); }
  void on_finish_impl(error_code&) override {}

  http_reply& into_;
  const std::uint64_t body_max_;
  bool is_header_done_ = false;
};

answer_reader::answer_reader(std::uint64_t body_max, bool has_no_body)
    : body_max_{body_max},
      has_no_body_{has_no_body} {
  begin();
}

answer_reader::~answer_reader() = default;

void answer_reader::begin() {
  reply_ = {};
  has_begun_ = false;
  parser_ = std::make_unique<parser>(reply_, body_max_);
  parser_->eager(true);
  parser_->skip(has_no_body_);
  parser_->body_limit(body_max_);
  parser_->header_limit(static_cast<std::uint32_t>(headers_max));
}

bool answer_reader::keeps_connection() const {
  return parser_->keep_alive() && rest_.empty() && reply_.status != switching_protocols;
}

answer_reader::state answer_reader::take(std::string_view bytes) {
  if (rest_.empty()) {
    const auto s = read(bytes);
    rest_ = bytes;
    return s;
  }
  auto all = std::move(rest_.append(bytes));
  std::string_view left{all};
  const auto s = read(left);
  rest_ = left;
  return s;
}

answer_reader::state answer_reader::read(std::string_view& bytes) {
  for (;;) {
    const auto before = bytes.size();
    const auto s = read_one(bytes);
    size_read_ += before - bytes.size();
    if (s != state::whole || !parser_->is_interim())
      return s;
    if (size_read_ >= headers_max)
      return state::has_large_headers;
    begin();
  }
}

answer_reader::state answer_reader::read_one(std::string_view& bytes) {
  if (has_begun_)
    return put(bytes);
  if (bytes.substr(0, first_word.size()) != first_word.substr(0, bytes.size()))
    return state::is_no_http;
  if (bytes.size() < status_end + line_end.size())
    return state::goes_on;
  if (bytes.substr(status_end, line_end.size()) != line_end)
    return put(bytes);
  const auto mended = std::string{bytes}.insert(status_end, 1, ' '); // some leave it out when no reason follows
  std::string_view left{mended};
  const auto s = put(left); // at least the whole first line
  bytes.remove_prefix(bytes.size() - std::min(left.size(), bytes.size()));
  return s;
}

answer_reader::state answer_reader::put(std::string_view& bytes) {
  beast::error_code e;
  bytes.remove_prefix(parser_->put(boost::asio::buffer(bytes.data(), bytes.size()), e));
  has_begun_ = true;
  if (e && e != http::error::need_more)
    return state_of(e);
  if (parser_->is_done())
    return state::whole;
  return bytes.size() > headers_max ? state::has_large_headers : state::goes_on; // a line without an end
}

answer_reader::state answer_reader::end() {
  if (!has_begun_)
    return rest_.empty() ? state::goes_on : state::is_no_http;
  beast::error_code e;
  parser_->put_eof(e);
  return e ? state::goes_on : state::whole;
}

} // namespace steadfast::actors
