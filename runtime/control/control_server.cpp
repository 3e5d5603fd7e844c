#include "runtime/control/control_server.hpp"

#include "client/exact_json.hpp"
#include "runtime/control/open_calls.hpp"

#include <boost/asio.hpp>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <future>
#include <list>
#include <new>
#include <optional>
#include <thread>
#include <utility>

namespace steadfast {

namespace {

using nlohmann::json;
using protocol = boost::asio::local::stream_protocol;

constexpr int parse_failed = -32700;
constexpr int invalid_request = -32600;
constexpr int method_not_found = -32601;
constexpr std::chrono::milliseconds busy_wait{1000};
constexpr const char* no_memory = "the node has no memory left for this";

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
  } catch (const api::error& e) {
    return failure(id, e.number(), e.what(), e.retry_after());
  } catch (const json::exception& e) {
    return failure(id, api::error::invalid_params, std::string{"params: "} + e.what());
  } catch (const std::bad_alloc&) {
    return failure(id, api::error::busy, no_memory, busy_wait);
  } catch (const std::exception& e) {
    return failure(id, api::error::fault, e.what());
  }
}

json parsed(const std::string& line) {
  auto request = exact_json(line); // its bound on the depth matters: copies and dumps of the library recurse
  return request.is_discarded() ? json{} : request;
}

/// The process at the other end, if it is one of root or of the owner of the node; 0: it may not talk to it.
pid_t talker(int descriptor) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
    return 0;
  return peer.uid == geteuid() || peer.uid == 0 ? peer.pid : 0;
}

class session;

/// What all sessions share. Only the thread that runs `io` uses it, except where other threads are mentioned.
struct host {
  control_options options;
  control_methods methods;
  open_calls calls;             ///< of any thread
  std::list<session*> sessions; ///< the last one was active last
  std::size_t unfinished = 0;   ///< bytes of unfinished requests
  bool closing = false;         ///< further requests are not read
  boost::asio::io_context io;
  boost::asio::thread_pool pool; ///< last, so that methods under way end before what they use
};

std::string busy_line(const std::string& why) {
  return failure({}, api::error::busy, why, busy_wait).dump() + "\n";
}

/// One connection: reads a line, begins the call on the pool, writes the answer when it is there, reads the next.
class session : public std::enable_shared_from_this<session> {
public:
  session(host& h, protocol::socket s, pid_t process)
      : host_{h},
        socket_{std::move(s)},
        process_{process},
        place_{h.sessions.insert(h.sessions.end(), this)} {}
  /// The last owner may be on another thread, but only when nothing is left to do.
  ~session() = default;
  session(const session&) = delete;
  session& operator=(const session&) = delete;

  void read() {
    if (is_gone_ || host_.closing)
      return hang_up();
    if (const auto end = in_.find('\n', looked_at_); end != std::string::npos) {
      moves(); // only whole requests count: a client that sends single bytes is as good as silent
      std::string line;
      try {
        line = take(end + 1);
      } catch (const std::bad_alloc&) {
        return refuse(busy_line(no_memory));
      }
      return run(std::move(line));
    }
    looked_at_ = in_.size();
    if (in_.size() > host_.options.frame_max)
      return refuse(
        failure({}, invalid_request, "a request may have " + std::to_string(host_.options.frame_max) + " bytes").dump()
        + "\n");
    if (host_.unfinished > host_.options.unfinished_max)
      return refuse(busy_line("too many requests are unfinished"));
    socket_.async_read_some(
      boost::asio::buffer(piece_),
      [self = shared_from_this()](const boost::system::error_code& e, std::size_t n) { self->got(e, n); });
  }

  host& owner() const { return host_; }
  pid_t process() const { return process_; }
  bool is_idle(std::chrono::steady_clock::time_point now) const {
    return !is_asked_ && now - moved_at_ >= host_.options.idle_enough;
  }

  /// To make room for another connection.
  void give_way() { hang_up(); }

  /// From any thread.
  void answer(const json& what) {
    std::string text;
    try {
      text = exact_text(what) + "\n";
    } catch (const std::bad_alloc&) {
      text = busy_line(no_memory);
    }
    boost::asio::post(host_.io,
                      [self = shared_from_this(), text = std::move(text)]() mutable { self->write(std::move(text)); });
  }

private:
  void got(const boost::system::error_code& e, std::size_t size) {
    if (e || is_gone_)
      return hang_up();
    try {
      in_.append(piece_.data(), size);
    } catch (const std::bad_alloc&) {
      return refuse(busy_line(no_memory));
    }
    host_.unfinished += size;
    read();
  }

  std::string take(std::size_t size) {
    auto line = in_.substr(0, size);
    in_.erase(0, size);
    looked_at_ = 0;
    if (in_.empty())
      in_.shrink_to_fit(); // a long request leaves nothing behind
    host_.unfinished -= size;
    return line;
  }

  void run(std::string line);

  void write(std::string answer) {
    if (is_gone_)
      return;
    out_ = std::move(answer);
    is_asked_ = false;
    moves();
    boost::asio::async_write(socket_, boost::asio::buffer(out_),
                             [self = shared_from_this()](const boost::system::error_code& e, std::size_t) {
                               if (e || self->is_gone_)
                                 return self->hang_up();
                               self->out_ = {};
                               self->moves();
                               self->read();
                             });
  }

  /// Says so and hangs up.
  void refuse(std::string line) {
    out_ = std::move(line);
    boost::asio::async_write(
      socket_, boost::asio::buffer(out_),
      [self = shared_from_this()](const boost::system::error_code&, std::size_t) { self->hang_up(); });
  }

  void moves() {
    moved_at_ = std::chrono::steady_clock::now();
    host_.sessions.splice(host_.sessions.end(), host_.sessions, place_);
  }

  /// Operations that wait for it end with an error.
  void hang_up() {
    if (std::exchange(is_gone_, true))
      return;
    host_.sessions.erase(place_);
    host_.unfinished -= in_.size();
    in_ = {};
    boost::system::error_code ignored;
    socket_.close(ignored);
  }

  host& host_;
  protocol::socket socket_;
  const pid_t process_;
  std::list<session*>::iterator place_;
  std::chrono::steady_clock::time_point moved_at_ = std::chrono::steady_clock::now();
  bool is_asked_ = false; ///< a call is under way
  bool is_gone_ = false;
  std::string in_;
  std::size_t looked_at_ = 0; ///< bytes of `in_` that hold no end of a line
  std::array<char, 16384> piece_{};
  std::string out_;
};

/// One request under way, shared by all that may answer it. When all of them are gone, the client is told so.
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
    try {
      carry_out(c, line);
    } catch (...) {
      c->answer([why = std::current_exception()]() -> json { std::rethrow_exception(why); });
    }
  }

private:
  static void carry_out(const std::shared_ptr<call>& c, const std::string& line) {
    const auto request = parsed(line);
    if (request.is_array())
      return c->refuse(invalid_request, "a line is one request: batches are not supported");
    if (!request.is_object())
      return c->refuse(parse_failed, "the request is not a JSON object, or is nested too deep");
    c->id_ = request.value("id", json{});
    if (!request.contains("method") || !request["method"].is_string())
      return c->refuse(invalid_request, "the request names no method");
    if (request.value("jsonrpc", json{}) != "2.0")
      return c->refuse(invalid_request, "`jsonrpc` must be \"2.0\": this is no other protocol");
    const auto name = request["method"].get<std::string>();
    const auto& methods = c->host_.methods;
    const auto found = methods.find(name);
    if (found == methods.end())
      return c->refuse(method_not_found, "there is no method `" + name + "`");
    found->second(request.value("params", json::object()), [c](const control_answer& a) { c->answer(a); });
  }

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
  is_asked_ = true;
  auto c = std::make_shared<call>(shared_from_this());
  boost::asio::post(host_.pool, [c = std::move(c), line = std::move(line)] { call::begin(c, line); });
}

/// A descriptor held in reserve, to be closed when no other can be opened.
class spare_file {
public:
  spare_file() : descriptor_{open("/dev/null", O_RDONLY | O_CLOEXEC)} {}
  ~spare_file() {
    if (descriptor_ >= 0)
      close(descriptor_);
  }
  spare_file(spare_file&& other) noexcept : descriptor_{std::exchange(other.descriptor_, -1)} {}
  spare_file& operator=(spare_file&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }

  bool is_open() const { return descriptor_ >= 0; }

private:
  int descriptor_;
};

bool is_listening(const std::filesystem::path& path) {
  boost::asio::io_context io;
  protocol::socket probe{io};
  boost::system::error_code e;
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

protocol::acceptor listen(boost::asio::io_context& io, const std::filesystem::path& path) {
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
  auto result = std::make_shared<std::promise<json>>(); // broken when nobody is left to reply
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
      : host_{options, std::move(methods), {}, {}, 0, false, {}, boost::asio::thread_pool{options.threads}},
        acceptor_{listen(host_.io, options.socket)} {
    accept();
    thread_ = std::thread{[this] { host_.io.run(); }};
  }

  ~implementation() {
    close(); // nothing is given to the pool after it
    host_.pool.join();
    host_.calls.wait_for_all();
    boost::asio::post(host_.io, [this] { host_.io.stop(); }); // after the answers
    thread_.join();
  }
  implementation(const implementation&) = delete;
  implementation& operator=(const implementation&) = delete;

  /// Clients that ask without a pause must not keep it open: after an answer their connections are closed.
  void close() {
    std::promise<void> closed;
    boost::asio::post(host_.io, [&] {
      if (!std::exchange(host_.closing, true)) {
        std::error_code ignored;
        std::filesystem::remove(host_.options.socket, ignored); // once: a later node may have made another
        acceptor_.close();
        retry_.cancel();
        regain_.cancel();
      }
      closed.set_value();
    });
    closed.get_future().wait();
  }

  bool wait_for_calls(std::chrono::milliseconds limit) { return host_.calls.wait_for_all(limit); }

private:
  void accept() {
    if (host_.closing)
      return;
    acceptor_.async_accept([this](const boost::system::error_code& e, protocol::socket s) {
      if (e == boost::asio::error::operation_aborted)
        return;
      if (e)
        return wait_for_files();
      if (const auto process = talker(s.native_handle()))
        welcome(std::move(s), process);
      accept();
    });
  }

  void welcome(protocol::socket s, pid_t process) {
    const auto& o = host_.options;
    const auto of_it = std::count_if(host_.sessions.begin(), host_.sessions.end(),
                                     [&](const session* x) { return x->process() == process; });
    if (std::cmp_greater_equal(of_it, o.connections_of_process_max) && !make_room(process))
      return turn_away(s, "this process has " + std::to_string(of_it) + " connections, as many as one may have");
    if (host_.sessions.size() >= o.connections_max && !make_room(0))
      return turn_away(s, "all " + std::to_string(o.connections_max) + " connections are in use");
    std::make_shared<session>(host_, std::move(s), process)->read();
  }

  /// Of that process, or of any. False: none was idle for long enough.
  bool make_room(pid_t process) {
    const auto now = std::chrono::steady_clock::now();
    const auto found = std::find_if(host_.sessions.begin(), host_.sessions.end(), [&](const session* x) {
      return (process == 0 || x->process() == process) && x->is_idle(now);
    });
    if (found == host_.sessions.end())
      return false;
    (*found)->give_way();
    return true;
  }

  /// It fits into the kernel's buffer of a connection, so it never waits.
  static void turn_away(protocol::socket& s, const std::string& why) {
    boost::system::error_code ignored;
    s.non_blocking(true, ignored);
    s.write_some(boost::asio::buffer(busy_line(why)), ignored);
  }

  /// The process has no descriptor left: the reserved one is used to tell the next client so; the others wait.
  void wait_for_files() {
    spare_.reset();
    acceptor_.non_blocking(true);
    boost::system::error_code e;
    protocol::socket s{host_.io};
    acceptor_.accept(s, e);
    if (!e)
      turn_away(s, "the node has as many files open as it may have (ulimit -n)");
    s = protocol::socket{host_.io};
    regain_spare();
    retry_.expires_after(files_wait);
    retry_.async_wait([this](const boost::system::error_code& ended) {
      if (!ended)
        accept();
    });
  }

  /// Somebody else may have taken its place meanwhile.
  void regain_spare() {
    spare_ = spare_file{};
    if (spare_->is_open() || host_.closing)
      return;
    regain_.expires_after(files_wait);
    regain_.async_wait([this](const boost::system::error_code& ended) {
      if (!ended)
        regain_spare();
    });
  }

  static constexpr std::chrono::milliseconds files_wait{100};

  host host_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> until_stopped_{host_.io.get_executor()};
  protocol::acceptor acceptor_;
  boost::asio::steady_timer retry_{host_.io};
  boost::asio::steady_timer regain_{host_.io};
  std::optional<spare_file> spare_{spare_file{}};
  std::thread thread_;
};

control_server::control_server(const control_options& options, control_methods methods)
    : impl_{std::make_unique<implementation>(options, std::move(methods))} {}

control_server::~control_server() = default;

void control_server::close() {
  impl_->close();
}

bool control_server::wait_for_calls(std::chrono::milliseconds limit) {
  return impl_->wait_for_calls(limit);
}

} // namespace steadfast
