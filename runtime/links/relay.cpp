#include "runtime/links/relay.hpp"

#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>

#include <sys/socket.h>

#include <cerrno>
#include <system_error>
#include <vector>

namespace steadfast::runtime {

namespace {

using plain_socket = boost::asio::local::stream_protocol::socket;

constexpr std::size_t buffer_size = 64 << 10;
constexpr int kernel_buffer_size = 512 << 10;
constexpr std::chrono::seconds linger{2}; ///< for what was sent before one side closed

} // namespace

struct relays::shared {
  std::mutex mutex;
  std::condition_variable changed;
  std::list<std::weak_ptr<relay>> all;
  std::size_t open = 0;
};

/// One connection. Everything happens on the strand of its stream.
class relays::relay : public std::enable_shared_from_this<relay> {
public:
  relay(std::shared_ptr<shared> all, std::unique_ptr<tls_stream> tls, plain_socket plain,
        std::unique_ptr<client_watch> watch)
      : all_{std::move(all)},
        tls_{std::move(tls)},
        plain_{std::move(plain)},
        watch_{std::move(watch)},
        timer_{tls_->get_executor()},
        to_tls_(buffer_size),
        to_plain_(buffer_size) {
    const std::lock_guard lock{all_->mutex};
    ++all_->open;
  }
  ~relay() {
    const std::lock_guard lock{all_->mutex};
    std::erase_if(all_->all, [](const auto& r) { return r.expired(); });
    --all_->open;
    all_->changed.notify_all();
  }
  relay(const relay&) = delete;
  relay& operator=(const relay&) = delete;

  void start() {
    boost::asio::post(tls_->get_executor(), [self = shared_from_this()] {
      self->read_plain();
      self->read_tls();
      self->watch_plain();
    });
  }

  void close_soon() {
    boost::asio::post(tls_->get_executor(), [self = shared_from_this()] { self->close(); });
  }

private:
  // ---- from CAF to the other node ----

  void read_plain() {
    plain_.async_read_some(boost::asio::buffer(to_tls_),
                           [self = shared_from_this()](const boost::system::error_code& e, std::size_t n) {
                             e ? self->end_of_plain() : self->write_tls(n);
                           });
  }

  void write_tls(std::size_t size) {
    boost::asio::async_write(*tls_, boost::asio::buffer(to_tls_, size),
                             [self = shared_from_this()](const boost::system::error_code& e, std::size_t) {
                               e ? self->close() : self->read_plain();
                             });
  }

  /// Frames of CAF have a length, so an end that is not announced by TLS hides nothing.
  void end_of_plain() {
    boost::system::error_code gone;
    tls_->lowest_layer().shutdown(boost::asio::socket_base::shutdown_send, gone);
    end_of_one();
  }

  // ---- from the other node to CAF ----

  void read_tls() {
    tls_->async_read_some(boost::asio::buffer(to_plain_),
                          [self = shared_from_this()](const boost::system::error_code& e, std::size_t n) {
                            e ? self->end_of_tls() : self->write_plain(n);
                          });
  }

  void write_plain(std::size_t size) {
    if (watch_)
      if (const auto why = watch_->filter.why_not({to_plain_.data(), size}); !why.empty()) {
        watch_->told(why);
        return close();
      }
    boost::asio::async_write(plain_, boost::asio::buffer(to_plain_, size),
                             [self = shared_from_this()](const boost::system::error_code& e, std::size_t) {
                               e ? self->close() : self->read_tls();
                             });
  }

  void end_of_tls() {
    boost::system::error_code gone;
    plain_.shutdown(boost::asio::socket_base::shutdown_send, gone);
    end_of_one();
  }

  // ---- the end ----

  /// CAF may close while we wait for the other node to take data, which a frozen node never does.
  void watch_plain() {
    plain_.async_wait(boost::asio::socket_base::wait_error,
                      [self = shared_from_this()](const boost::system::error_code& e) {
                        if (!e)
                          self->close_later();
                      });
  }

  void end_of_one() {
    if (++ended_ == 2)
      close();
    else
      close_later();
  }

  void close_later() {
    timer_.expires_after(linger);
    timer_.async_wait([self = shared_from_this()](const boost::system::error_code& e) {
      if (!e)
        self->close();
    });
  }

  void close() {
    boost::system::error_code gone;
    timer_.cancel();
    tls_->lowest_layer().close(gone);
    plain_.close(gone);
  }

  const std::shared_ptr<shared> all_;
  const std::unique_ptr<tls_stream> tls_;
  plain_socket plain_;
  const std::unique_ptr<client_watch> watch_; ///< none: it is a node
  boost::asio::steady_timer timer_;
  std::vector<char> to_tls_;
  std::vector<char> to_plain_;
  int ended_ = 0; ///< of the two directions
};

relays::relays() : shared_{std::make_shared<shared>()} {}
relays::~relays() = default;

owned_socket relays::begin(std::unique_ptr<tls_stream> connection) {
  return begin(std::move(connection), nullptr);
}

owned_socket relays::begin_for_client(std::unique_ptr<tls_stream> connection, frame_filter filter,
                                      std::function<void(const std::string& why)> told) {
  return begin(std::move(connection), std::make_unique<client_watch>(client_watch{std::move(filter), std::move(told)}));
}

owned_socket relays::begin(std::unique_ptr<tls_stream> connection, std::unique_ptr<client_watch> watch) {
  int ends[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw std::system_error{errno, std::generic_category()};
  owned_socket ours{ends[0]};
  owned_socket theirs{ends[1]};
  for (const int end : ends)
    setsockopt(end, SOL_SOCKET, SO_SNDBUF, &kernel_buffer_size, sizeof kernel_buffer_size);
  plain_socket plain{connection->get_executor(), boost::asio::local::stream_protocol{}, ours.release()};
  const auto made = std::make_shared<relay>(shared_, std::move(connection), std::move(plain), std::move(watch));
  {
    const std::lock_guard lock{shared_->mutex};
    shared_->all.push_back(made);
  }
  made->start();
  return theirs;
}

void relays::wait(std::chrono::milliseconds limit) {
  std::unique_lock lock{shared_->mutex};
  shared_->changed.wait_for(lock, limit, [this] { return shared_->open == 0; });
}

void relays::break_off() {
  std::list<std::shared_ptr<relay>> open;
  {
    const std::lock_guard lock{shared_->mutex};
    for (const auto& r : shared_->all)
      if (auto still = r.lock())
        open.push_back(std::move(still));
  }
  for (const auto& r : open)
    r->close_soon();
}

} // namespace steadfast::runtime
