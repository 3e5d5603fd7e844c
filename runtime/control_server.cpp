#include "runtime/control_server.hpp"

#include "workflow/json_text.hpp"

#include <asio.hpp>

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
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

json call(const control_methods& methods, const json& request) {
  const auto id = request.value("id", json{});
  if (!request.contains("method") || !request["method"].is_string())
    return failure(id, invalid_request, "the request names no method");
  const auto name = request["method"].get<std::string>();
  const auto found = methods.find(name);
  if (found == methods.end())
    return failure(id, method_not_found, "there is no method `" + name + "`");
  try {
    return {{"jsonrpc", "2.0"}, {"id", id}, {"result", found->second(request.value("params", json::object()))}};
  } catch (const control_error& e) {
    return failure(id, e.number(), e.what(), e.retry_after());
  } catch (const json::exception& e) {
    return failure(id, control_error::invalid_params, std::string{"params: "} + e.what());
  } catch (const std::exception& e) {
    return failure(id, internal_error, e.what());
  }
}

std::string answer_to(const control_methods& methods, const std::string& line) {
  // Our own check comes first because it bounds the depth: copies and dumps of the library recurse.
  const auto request = workflow::is_json(line) ? json::parse(line, nullptr, false) : json{};
  const auto answer = request.is_object()
                        ? call(methods, request)
                        : failure({}, parse_failed, "the request is not a JSON object, or is nested too deep");
  return answer.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

/// Root and the owner of the node may talk to it.
bool may_talk(int descriptor) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
    return false;
  return peer.uid == geteuid() || peer.uid == 0;
}

/// What all sessions share.
struct host {
  control_options options;
  control_methods methods;
  std::atomic<std::size_t> connections{0};
  bool closing = false; ///< what is asked from now on is not read; of the thread that runs `io`
  asio::io_context io;
  asio::thread_pool pool; ///< last, so that methods under way end before what they use
};

/// One connection: reads a line, runs it on the pool, writes the answer, reads the next.
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

private:
  std::string take(std::size_t size) {
    std::string line{asio::buffers_begin(buffer_.data()),
                     asio::buffers_begin(buffer_.data()) + static_cast<std::ptrdiff_t>(size)};
    buffer_.consume(size);
    return line;
  }

  void run(std::string line) {
    asio::post(host_.pool, [self = shared_from_this(), line = std::move(line)] {
      auto answer = answer_to(self->host_.methods, line);
      asio::post(self->host_.io, [self, answer = std::move(answer)]() mutable { self->write(std::move(answer)); });
    });
  }

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

class control_server::implementation {
public:
  implementation(const control_options& options, control_methods methods)
      : host_{options, std::move(methods), {}, false, {}, asio::thread_pool{options.threads}},
        acceptor_{listen(host_.io, options.socket)} {
    accept();
    thread_ = std::thread{[this] { host_.io.run(); }};
  }

  /// Clients that ask without a pause must not keep it open: what is under way is answered, then they are hung up on.
  ~implementation() {
    asio::post(host_.io, [this] { host_.closing = true; });
    host_.pool.join();
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
