#include "runtime/control_server.hpp"

#include "runtime/exact_json.hpp"

#include <asio.hpp>

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <future>
#include <mutex>
#include <thread>
#include <utility>

namespace steadfast {

namespace {

using nlohmann::json;
using protocol = asio::local::stream_protocol;

constexpr int parse_failed = -32700;
constexpr int invalid_request = -32600;
constexpr int method_not_found = -32601;
constexpr int internal_error = -32603;

json failure(const json& id, int code, const std::string& message, std::chrono::milliseconds retry_after = {}) {
  json error{{"code", code}, {"message", message}};
  if (retry_after.count() > 0)
    error["data"] = {{"retry_after_ms", retry_after.count()}};
  return {{"jsonrpc", "2.0"}, {"id", id}, {"error", error}};
}

/// The response with the result, or with what was thrown instead.
json response(const json& id, const control_answer& answer) {
  try {
    return {{"jsonrpc", "2.0"}, {"id", id}, {"result", answer()}};
  } catch (const control_error& e) {
    return failure(id, e.number(), e.what(), e.retry_after());
  } catch (const json::exception& e) {
    return failure(id, control_error::invalid_params, std::string{"params: "} + e.what());
  } catch (const std::exception& e) {
    return failure(id, internal_error, e.what());
  }
}

json parsed(const std::string& line) {
  auto request = exact_json(line); // whose bound of the depth matters: copies and dumps of the library recurse
  return request.is_discarded() ? json{} : request;
}

/// Root and the owner of the node may talk to it.
bool may_talk(int descriptor) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
    return false;
  return peer.uid == geteuid() || peer.uid == 0;
}

/// Calls that were begun and are not answered.
class open_calls {
public:
  void begin() {
    const std::lock_guard lock{mutex_};
    ++count_;
  }
  void end() {
    const std::lock_guard lock{mutex_};
    --count_;
    changed_.notify_all();
  }
  void wait_for_all() {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [this] { return count_ == 0; });
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t count_ = 0;
};

/// What all sessions share.
struct host {
  control_options options;
  control_methods methods;
  open_calls calls;
  std::atomic<std::size_t> connections{0};
  bool closing = false; ///< what is asked from now on is not read; of the thread that runs `io`
  asio::io_context io;
  asio::thread_pool pool; ///< last, so that methods under way end before what they use
};

/// One connection: reads a line, begins the call on the pool, writes the answer when it is there, reads the next.
class session : public std::enable_shared_from_this<session> {
public:
  session(host& h, protocol::socket s) : host_{h}, socket_{std::move(s)}, buffer_{h.options.frame_max} {
    ++host_.connections;
  }
  ~session() { --host_.connections; }
  session(const session&) = delete;
  session& operator=(const session&) = delete;

  void read() {
    if (host_.closing)
      return;
    asio::async_read_until(socket_, buffer_, '\n',
                           [self = shared_from_this()](const asio::error_code& e, std::size_t n) {
                             if (!e && !self->host_.closing)
                               self->run(self->take(n));
                             else if (e == asio::error::not_found)
                               self->refuse_frame();
                           });
  }

  host& owner() const { return host_; }

  /// From any thread.
  void answer(const json& what) {
    auto text = exact_text(what) + "\n";
    asio::post(host_.io,
               [self = shared_from_this(), text = std::move(text)]() mutable { self->write(std::move(text)); });
  }

private:
  std::string take(std::size_t size) {
    std::string line{asio::buffers_begin(buffer_.data()),
                     asio::buffers_begin(buffer_.data()) + static_cast<std::ptrdiff_t>(size)};
    buffer_.consume(size);
    return line;
  }

  void run(std::string line);

  void write(std::string answer) {
    out_ = std::move(answer);
    asio::async_write(socket_, asio::buffer(out_), [self = shared_from_this()](const asio::error_code& e, std::size_t) {
      if (!e)
        self->read();
    });
  }

  /// The line is longer than a frame may be: say so and hang up.
  void refuse_frame() {
    out_ =
      failure({}, invalid_request, "a request may have " + std::to_string(host_.options.frame_max) + " bytes").dump()
      + "\n";
    asio::async_write(socket_, asio::buffer(out_),
                      [self = shared_from_this()](const asio::error_code&, std::size_t) {});
  }

  host& host_;
  protocol::socket socket_;
  asio::streambuf buffer_;
  std::string out_;
};

/// One request under way, kept by whoever may answer it. When all of them are gone, the client is told so.
class call {
public:
  explicit call(std::shared_ptr<session> from) : from_{std::move(from)}, host_{from_->owner()} { host_.calls.begin(); }
  ~call() {
    answer([]() -> json { throw std::runtime_error{"the node has no answer; the outcome is unknown"}; });
    from_.reset(); // before the host may go
    host_.calls.end();
  }
  call(const call&) = delete;
  call& operator=(const call&) = delete;

  /// The first answer counts.
  void answer(const control_answer& a) {
    answer_with([&] { return response(id_, a); });
  }

  static void begin(const std::shared_ptr<call>& c, const std::string& line) {
    const auto request = parsed(line);
    if (!request.is_object())
      return c->refuse(parse_failed, "the request is not a JSON object, or is nested too deep");
    c->id_ = request.value("id", json{});
    if (request.contains("jsonrpc") && request["jsonrpc"] != "2.0")
      return c->refuse(invalid_request, "`jsonrpc` must be \"2.0\"");
    if (!request.contains("method") || !request["method"].is_string())
      return c->refuse(invalid_request, "the request names no method");
    const auto name = request["method"].get<std::string>();
    const auto& methods = c->host_.methods;
    const auto found = methods.find(name);
    if (found == methods.end())
      return c->refuse(method_not_found, "there is no method `" + name + "`");
    try {
      found->second(request.value("params", json::object()), [c](const control_answer& a) { c->answer(a); });
    } catch (...) {
      c->answer([why = std::current_exception()]() -> json { std::rethrow_exception(why); });
    }
  }

private:
  void refuse(int code, const std::string& why) {
    answer_with([&] { return failure(id_, code, why); });
  }

  template <class F>
  void answer_with(F what) {
    if (!is_answered_.exchange(true))
      from_->answer(what());
  }

  std::shared_ptr<session> from_;
  host& host_;
  json id_;
  std::atomic<bool> is_answered_ = false;
};

void session::run(std::string line) {
  auto c = std::make_shared<call>(shared_from_this());
  asio::post(host_.pool, [c = std::move(c), line = std::move(line)] { call::begin(c, line); });
}

bool is_listening(const std::filesystem::path& path) {
  asio::io_context io;
  protocol::socket probe{io};
  asio::error_code e;
  probe.connect(protocol::endpoint{path.string()}, e);
  return !e;
}

/// A socket file that nobody listens at is left over from a process that was killed.
void clear_stale(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path))
    return;
  if (!std::filesystem::is_socket(path))
    throw std::runtime_error{"control socket " + path.string() + ": there is a file of another kind; remove it"};
  if (is_listening(path))
    throw std::runtime_error{"control socket " + path.string()
                             + " is in use by a running node; stop it, or give this one another `socket`"};
  std::filesystem::remove(path);
}

protocol::acceptor listen(asio::io_context& io, const std::filesystem::path& path) {
  clear_stale(path);
  if (path.has_parent_path() && !std::filesystem::exists(path.parent_path())) {
    std::filesystem::create_directories(path.parent_path());
    std::filesystem::permissions(path.parent_path(), std::filesystem::perms::owner_all);
  }
  const auto before = umask(0177);
  try {
    protocol::acceptor acceptor{io, protocol::endpoint{path.string()}};
    umask(before);
    return acceptor;
  } catch (const std::exception& e) {
    umask(before);
    throw std::runtime_error{"control socket " + path.string() + ": " + e.what()};
  }
}

} // namespace

json control_method::operator()(const json& params) const {
  auto result = std::make_shared<std::promise<json>>(); // broken when nobody is left who could reply
  auto given = result->get_future();
  run_(params, [result = std::exchange(result, nullptr)](const control_answer& answer) {
    try {
      result->set_value(answer());
    } catch (...) {
      result->set_exception(std::current_exception());
    }
  });
  return given.get();
}

class control_server::implementation {
public:
  implementation(const control_options& options, control_methods methods)
      : host_{options, std::move(methods), {}, {}, false, {}, asio::thread_pool{options.threads}},
        acceptor_{listen(host_.io, options.socket)} {
    accept();
    thread_ = std::thread{[this] { host_.io.run(); }};
  }

  /// Clients that ask without a pause must not keep it open: what is under way is answered, then they are hung up on.
  ~implementation() {
    std::promise<void> closed; // nothing is given to the pool after it
    asio::post(host_.io, [&] {
      host_.closing = true;
      closed.set_value();
    });
    closed.get_future().wait();
    host_.pool.join();
    host_.calls.wait_for_all();
    asio::post(host_.io, [this] { host_.io.stop(); }); // after the answers
    thread_.join();
    std::error_code ignored;
    std::filesystem::remove(host_.options.socket, ignored);
  }
  implementation(const implementation&) = delete;
  implementation& operator=(const implementation&) = delete;

private:
  void accept() {
    acceptor_.async_accept([this](const asio::error_code& e, protocol::socket s) {
      if (e == asio::error::operation_aborted)
        return;
      const bool room = host_.connections < host_.options.connections_max;
      if (!e && room && may_talk(s.native_handle()))
        std::make_shared<session>(host_, std::move(s))->read();
      accept();
    });
  }

  host host_;
  protocol::acceptor acceptor_;
  std::thread thread_;
};

control_server::control_server(const control_options& options, control_methods methods)
    : impl_{std::make_unique<implementation>(options, std::move(methods))} {}

control_server::~control_server() = default;

} // namespace steadfast
