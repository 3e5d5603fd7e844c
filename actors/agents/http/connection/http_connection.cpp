#include "actors/agents/http/connection/http_connection.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/write.hpp>

#include <sys/socket.h>

#include <cerrno>
#include <utility>

namespace steadfast::actors {

namespace {

using boost::asio::ip::tcp;

} // namespace

void http_connection::limit_opening(std::chrono::milliseconds limit) {
  limit_.expires_after(limit);
  limit_.async_wait([self = shared_from_this(), limit](const error_code& is_cancelled) {
    if (!is_cancelled && !self->is_open_)
      self->give_up({broken_call::cause::not_connected,
                     "no connection within " + std::to_string(limit.count()) + " ms (connect_limit)", 0});
  });
}

void http_connection::dial(const std::vector<address>& addresses, std::uint16_t port, steps openings) {
  if (is_closed_)
    return;
  openings_ = std::move(openings);
  dialling_ = std::make_shared<dialling>(
    io_, addresses, port, [self = shared_from_this()](tcp::socket* made, const std::string& fault) {
      self->dialling_.reset();
      if (made == nullptr)
        return self->give_up({broken_call::cause::not_connected, "no connection: " + fault, 0});
      self->begin(std::move(*made));
    });
  const auto kept = dialling_; // it may end at once
  kept->begin();
}

void http_connection::begin(tcp::socket made) {
  socket_ = std::move(made);
  error_code ignored;
  socket_.set_option(tcp::no_delay{true}, ignored);
  socket_.non_blocking(true, ignored);
  go_on_opening();
  read();
}

void http_connection::go_on_opening() {
  while (!openings_.empty()) {
    std::string out;
    auto& step = openings_.front();
    const auto s = step->go_on(in_, out);
    if (!write(out, layers_.size()))
      return give_up({broken_call::cause::not_connected, "the connection was lost before it was open", 0});
    if (s == opening::state::has_failed)
      return give_up({broken_call::cause::not_connected, step->fault(), 0});
    if (s == opening::state::goes_on)
      return;
    if (auto* const layer = dynamic_cast<tls_layer*>(step.get())) {
      static_cast<void>(step.release());
      layers_.emplace_back(layer);
    }
    openings_.erase(openings_.begin());
  }
  is_open_ = true;
  limit_.cancel();
  user_.on_open(*this);
}

bool http_connection::send(std::string_view request, std::uint64_t body_max, bool answer_has_no_body) {
  sent_ = 0;
  reader_.emplace(body_max, answer_has_no_body);
  if (write(request, layers_.size()))
    return true;
  reader_.reset();
  close();
  return false;
}

bool http_connection::is_alive() {
  char next = 0;
  const auto size = recv(socket_.native_handle(), &next, 1, MSG_PEEK | MSG_DONTWAIT);
  return size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

void http_connection::close() {
  is_closed_ = true;
  limit_.cancel();
  if (dialling_)
    std::exchange(dialling_, nullptr)->cancel();
  error_code gone;
  socket_.close(gone);
}

void http_connection::give_up(broken_call b) {
  if (is_closed_)
    return;
  close();
  user_.on_broken(*this, std::move(b));
}

// ---- what comes ----

void http_connection::read() {
  if (!is_closed_)
    socket_.async_read_some(
      boost::asio::buffer(bytes_),
      [self = shared_from_this()](const error_code& e, std::size_t size) { self->on_read(e, size); });
}

void http_connection::on_read(const error_code& e, std::size_t size) {
  if (is_closed_)
    return;
  if (e)
    return take_end(e == boost::asio::error::eof && layers_.empty());
  std::string_view bytes{bytes_.data(), size};
  const bool has_ended = !pass_layers(bytes);
  if (is_closed_)
    return;
  take(bytes);
  if (has_ended && !is_closed_)
    take_end(true);
  read();
}

/// Takes off what the layers have put around `bytes`. False: nothing more comes.
bool http_connection::pass_layers(std::string_view& bytes) {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    std::string plain;
    std::string out;
    const auto was = layers_[i]->read(bytes, plain, out);
    write(out, i);
    if (was == tls_layer::reading::is_broken) {
      take_end(false);
      return false;
    }
    plain_ = std::move(plain);
    bytes = plain_;
    if (was == tls_layer::reading::has_ended)
      return false;
  }
  return true;
}

void http_connection::take(std::string_view bytes) {
  if (!is_open_) {
    in_ += bytes;
    return go_on_opening();
  }
  if (bytes.empty())
    return;
  if (!reader_) // nobody has asked for anything: what comes would be taken for the answer to what is asked next
    return give_up({broken_call::cause::lost, {}, 0});
  on_answer(reader_->take(bytes));
}

/// The other end closed it. Not in order: it may have been about to say more.
void http_connection::take_end(bool is_in_order) {
  if (!is_open_)
    return give_up({broken_call::cause::not_connected, "the connection was lost before it was open", 0});
  const auto s = reader_ && is_in_order ? reader_->end() : answer_reader::state::goes_on;
  if (s == answer_reader::state::goes_on)
    return give_up({broken_call::cause::lost, {}, sent_});
  on_answer(s);
}

void http_connection::on_answer(answer_reader::state s) {
  using state = answer_reader::state;
  switch (s) {
    case state::goes_on: return;
    case state::is_no_http: return give_up({broken_call::cause::no_http, {}, sent_});
    case state::has_large_headers: return give_up({broken_call::cause::large_headers, {}, sent_});
    case state::has_large_body: return give_up({broken_call::cause::large_body, {}, sent_});
    case state::whole: break;
  }
  auto reply = std::move(reader_->reply());
  const bool keeps = reader_->keeps_connection() && out_.empty();
  reader_.reset();
  user_.on_reply(*this, std::move(reply), keeps);
}

// ---- what goes ----

/// Through the first layers of all. False: it is lost.
bool http_connection::write(std::string_view plain, std::size_t through_layers) {
  if (plain.empty())
    return true;
  if (through_layers == 0)
    return put_on_wire(plain);
  std::string wrapped;
  layers_[through_layers - 1]->write(plain, wrapped);
  return write(wrapped, through_layers - 1);
}

bool http_connection::put_on_wire(std::string_view bytes) {
  if (!out_.empty()) {
    after_out_ += bytes;
    return true;
  }
  error_code e;
  const auto size = socket_.write_some(boost::asio::buffer(bytes.data(), bytes.size()), e);
  if (e && e != boost::asio::error::would_block && e != boost::asio::error::try_again)
    return false;
  sent_ += size;
  if (size == bytes.size())
    return true;
  out_ = bytes.substr(size);
  boost::asio::async_write(
    socket_, boost::asio::buffer(out_),
    [self = shared_from_this()](const error_code& failed, std::size_t more) { self->on_written(failed, more); });
  return true;
}

/// What failed to go is left in `out_`: the connection is of no more use, and its end is read, after an answer that may
/// have come before.
void http_connection::on_written(const error_code& e, std::size_t size) {
  sent_ += size;
  if (e || is_closed_)
    return;
  out_.clear();
  put_on_wire(std::exchange(after_out_, {}));
}

} // namespace steadfast::actors
