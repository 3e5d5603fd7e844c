#include "runtime/client.hpp"

#include "runtime/exact_json.hpp"

#include "runtime/time_id.hpp"

#include <asio.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <thread>
#include <utility>

namespace steadfast {

namespace {

using nlohmann::json;
using protocol = asio::local::stream_protocol;
using std::chrono::milliseconds;

constexpr milliseconds answer_limit{30'000};
constexpr milliseconds look_first{5};
constexpr milliseconds look_longest{250};

/// 0 when there is none of that name.
std::int64_t whole_number(const json& in, const char* name) {
  const auto found = in.find(name);
  return found != in.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

client_error::kind kind_of(std::int64_t code) {
  switch (code) {
    case 2: return client_error::kind::busy;
    case 3: return client_error::kind::timed_out;
    case 4: return client_error::kind::not_found;
    default: return client_error::kind::refused;
  }
}

/// What an exception can show of the message: what() ends at the first zero.
std::string reason_of(const json& error) {
  const std::string reason{error.value("message", std::string{}).c_str()};
  return reason.empty() ? "the node gave no reason" : reason;
}

json result_of(const json& answer) {
  if (answer.contains("result"))
    return answer["result"];
  const auto& error = answer.at("error");
  const milliseconds retry_after{whole_number(error.value("data", json::object()), "retry_after_ms")};
  throw client_error{kind_of(whole_number(error, "code")), reason_of(error), retry_after};
}

/// What `read` finds in what the node said.
template <class Read>
auto understood(Read read) {
  try {
    return read();
  } catch (const json::exception& e) {
    throw client_error{client_error::kind::unreachable,
                       std::string{"what listens there gives answers that are none of a node: "} + e.what()};
  }
}

bool has_ended(const std::string& state) {
  return state == "processed" || state == "undone" || state == "error";
}

} // namespace

class client::implementation {
public:
  implementation(std::string path, numbers n) : path_{std::move(path)}, numbers_{n} { connect(); }

  json call(const std::string& method, const json& params) {
    const json request{{"jsonrpc", "2.0"}, {"id", ++id_}, {"method", method}, {"params", params}};
    write(exact_text(request) + "\n");
    const auto answer = parsed(read_line());
    if (!answer.is_object())
      throw client_error{client_error::kind::unreachable, "the node at " + path_ + " gave an answer that is no JSON"};
    return understood([&] { return result_of(answer); });
  }

private:
  /// What is nested too deep for exact numbers is read without them.
  json parsed(const std::string& line) const {
    auto answer = exact_json(line);
    if (answer.is_discarded())
      return json::parse(line, nullptr, false);
    return numbers_ == numbers::exact ? answer : with_doubles(std::move(answer));
  }

  void connect() {
    asio::error_code e;
    socket_.connect(protocol::endpoint{path_}, e);
    if (e)
      throw client_error{client_error::kind::unreachable, "no node answers at " + path_ + " (" + e.message()
                                                            + "); start one with `steadfast serve -c node.toml`,"
                                                              " or look at the files of one that is down with"
                                                              " `steadfast console --store DIR`"};
  }

  void write(const std::string& line) {
    asio::error_code e;
    asio::write(socket_, asio::buffer(line), e);
    if (e)
      lost(e);
  }

  std::string read_line() {
    asio::error_code result = asio::error::would_block;
    std::size_t size = 0;
    asio::async_read_until(socket_, asio::dynamic_buffer(in_), '\n', [&](const asio::error_code& e, std::size_t n) {
      result = e;
      size = n;
    });
    io_.restart();
    io_.run_for(answer_limit);
    if (result == asio::error::would_block) {
      socket_.close();
      io_.run();
      throw client_error{client_error::kind::timed_out,
                         "the node at " + path_ + " did not answer within 30 s; the outcome is unknown"};
    }
    if (result)
      lost(result);
    auto line = in_.substr(0, size);
    in_.erase(0, size);
    return line;
  }

  [[noreturn]] void lost(const asio::error_code& e) const {
    throw client_error{client_error::kind::unreachable, "the connection to the node at " + path_ + " was lost ("
                                                          + e.message() + "); what was asked may have been done"};
  }

  std::string path_;
  numbers numbers_;
  asio::io_context io_;
  protocol::socket socket_{io_};
  std::string in_;
  std::uint64_t id_ = 0;
};

client::client(const std::string& socket_path, numbers n) : impl_{std::make_unique<implementation>(socket_path, n)} {}
client::~client() = default;
client::client(client&&) noexcept = default;
client& client::operator=(client&&) noexcept = default;

submitted client::submit(const std::string& workflow, const std::string& payload, const submit_options& options) {
  json params{{"workflow", workflow}, {"payload", payload}, {"id", options.id.empty() ? make_time_id() : options.id}};
  if (options.version != 0)
    params["version"] = options.version;
  if (options.priority)
    params["priority"] = *options.priority;
  if (!options.reply_to.empty())
    params["reply_to"] = options.reply_to;
  const auto answer = call("submit", params);
  return understood([&] { return submitted{answer.at("id"), answer.at("created"), answer.at("process_state")}; });
}

std::string client::wait(const std::string& id, milliseconds limit) {
  const auto until = std::chrono::steady_clock::now() + limit;
  for (auto pause = look_first;; pause = std::min(2 * pause, look_longest)) {
    const auto answer = call("task.state", {{"id", id}});
    const auto state = understood([&] { return answer.at("process_state").get<std::string>(); });
    if (has_ended(state) || std::chrono::steady_clock::now() >= until)
      return state;
    std::this_thread::sleep_for(pause);
  }
}

json client::show(const std::string& id) {
  const auto answer = call("task.show", {{"id", id}});
  return understood([&] { return answer.at("task"); });
}

json client::call(const std::string& method, const json& params) {
  return impl_->call(method, params);
}

} // namespace steadfast
