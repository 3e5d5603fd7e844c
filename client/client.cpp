#include "steadfast/client.hpp"

#include "client/client_calls.hpp"
#include "client/exact_json.hpp"

#include <boost/asio.hpp>
#include <nlohmann/json.hpp>

#include <utility>

namespace steadfast {

namespace {

using nlohmann::json;
using protocol = boost::asio::local::stream_protocol;
using std::chrono::milliseconds;

constexpr milliseconds answer_limit{30'000};

/// 0 when there is none of that name.
std::int64_t whole_number(const json& in, const char* name) {
  const auto found = in.find(name);
  return found != in.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

json result_of(const json& answer) {
  if (answer.contains("result"))
    return answer["result"];
  const auto& error = answer.at("error");
  const milliseconds retry_after{whole_number(error.value("data", json::object()), "retry_after_ms")};
  throw error_of(whole_number(error, "code"), error.value("message", std::string{}), retry_after);
}

} // namespace

class client::implementation {
public:
  implementation(std::string path, numbers n) : path_{std::move(path)}, numbers_{n} { connect(); }

  json call(const std::string& method, const json& params) {
    const json request{{"jsonrpc", "2.0"}, {"id", ++id_}, {"method", method}, {"params", params}};
    // If writing fails, the node may have closed the connection: then it says why.
    const auto written = write(exact_text(request) + "\n");
    const auto answer = parsed(read_line(written));
    if (!answer.is_object())
      throw client_error{client_error::kind::unreachable, "the node at " + path_ + " gave an answer that is no JSON"};
    return understood([&] { return result_of(answer); });
  }

  ask_node asker() {
    return [this](const std::string& method, const json& params) { return call(method, params); };
  }

private:
  /// A value that is nested too deep for exact numbers is read without them.
  json parsed(const std::string& line) const {
    auto answer = exact_json(line);
    if (answer.is_discarded())
      return json::parse(line, nullptr, false);
    return numbers_ == numbers::exact ? answer : with_doubles(std::move(answer));
  }

  void connect() {
    constexpr std::size_t path_max = 107; // sockaddr_un
    if (path_.size() > path_max)
      throw client_error{client_error::kind::unreachable, "no node can be at the socket " + path_ + ": its path has "
                                                            + std::to_string(path_.size())
                                                            + " bytes, and that of a socket may have 107"};
    boost::system::error_code e;
    socket_.connect(protocol::endpoint{path_}, e);
    if (e)
      throw client_error{client_error::kind::unreachable, "no node answers at " + path_ + " (" + e.message()
                                                            + "); start one with `steadfast serve -c node.toml`,"
                                                              " or look at the files of one that is down with"
                                                              " `steadfast console --store DIR`"};
  }

  boost::system::error_code write(const std::string& line) {
    boost::system::error_code e;
    boost::asio::write(socket_, boost::asio::buffer(line), e);
    return e;
  }

  std::string read_line(const boost::system::error_code& written) {
    boost::system::error_code result = boost::asio::error::would_block;
    std::size_t size = 0;
    boost::asio::async_read_until(socket_, boost::asio::dynamic_buffer(in_), '\n',
                                  [&](const boost::system::error_code& e, std::size_t n) {
                                    result = e;
                                    size = n;
                                  });
    io_.restart();
    io_.run_for(answer_limit);
    if (result == boost::asio::error::would_block) {
      socket_.close();
      io_.run();
      throw client_error{client_error::kind::timed_out,
                         "the node at " + path_ + " did not answer within 30 s; the outcome is unknown"};
    }
    if (result)
      lost(written ? written : result);
    auto line = in_.substr(0, size);
    in_.erase(0, size);
    return line;
  }

  [[noreturn]] void lost(const boost::system::error_code& e) const {
    throw client_error{client_error::kind::unreachable, "the connection to the node at " + path_ + " was lost ("
                                                          + e.message() + "); what was asked may have been done"};
  }

  std::string path_;
  numbers numbers_;
  boost::asio::io_context io_;
  protocol::socket socket_{io_};
  std::string in_;
  std::uint64_t id_ = 0;
};

client::client(const std::string& socket_path, numbers n) : impl_{std::make_unique<implementation>(socket_path, n)} {}
client::~client() = default;
client::client(client&&) noexcept = default;
client& client::operator=(client&&) noexcept = default;

submitted client::submit(const std::string& workflow, const std::string& payload, const submit_options& options) {
  return steadfast::submit(impl_->asker(), workflow, payload, options);
}

std::string client::wait(const std::string& id, milliseconds limit) {
  return steadfast::wait(impl_->asker(), id, limit);
}

json client::show(const std::string& id) {
  return steadfast::show(impl_->asker(), id);
}

json client::result(const std::string& id) {
  return steadfast::result(impl_->asker(), id);
}

void client::complete_step(const std::string& token, const std::string& result) {
  steadfast::complete_step(impl_->asker(), token, result);
}

void client::fail_step(const std::string& token, const step_failure& how) {
  steadfast::fail_step(impl_->asker(), token, how);
}

void client::extend_step(const std::string& token, const std::string& progress, milliseconds length) {
  steadfast::extend_step(impl_->asker(), token, progress, length);
}

std::uint64_t client::send_event(const std::string& name, const std::string& key, const std::string& data,
                                 const std::string& who, const std::string& id) {
  return steadfast::send_event(impl_->asker(), name, key, data, who, id);
}

bool client::put_schedule(const schedule& s, const std::string& who, const std::string& why) {
  return steadfast::put_schedule(impl_->asker(), s, who, why);
}

json client::call(const std::string& method, const json& params) {
  return impl_->call(method, params);
}

} // namespace steadfast
