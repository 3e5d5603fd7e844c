#include "apps/bench/load/gateway_load.hpp"

#include "apps/bench/figures/histogram.hpp"
#include "apps/bench/load/http_connection.hpp"
#include "apps/bench/load/seen_events.hpp"
#include "apps/bench/load/workload.hpp"

#include <boost/asio/read_until.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/asio/write.hpp>

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

namespace steadfast::bench {
namespace {

namespace net = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;
using net::ip::tcp;
using nlohmann::json;
using std::chrono::milliseconds;

constexpr milliseconds look_again{20};
constexpr std::chrono::seconds answer_limit{60};
constexpr auto far_away = "4000000000000"; ///< a moment, for tasks that only lie there

steady::duration seconds_of(double s) {
  return std::chrono::duration_cast<steady::duration>(std::chrono::duration<double>{s});
}

std::size_t count_of(const std::string& text, std::string_view what) {
  std::size_t n = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size()))
    ++n;
  return n;
}

// ---- many submissions ----

struct flood_counts {
  std::uint64_t offered = 0;
  std::uint64_t acknowledged = 0;
  std::uint64_t pushed_back = 0;
  std::uint64_t without_retry_after = 0;
  double seconds = 0; ///< until all was offered
};

/// Sends when it is time, also before the answer to what it sent last.
class flooder : public std::enable_shared_from_this<flooder> {
public:
  flooder(net::io_context& io, const flood_plan& plan, flood_counts& counts, std::uint32_t number)
      : plan_{plan},
        counts_{counts},
        number_{number},
        stream_{io},
        timer_{io} {
    stream_.connect(local_endpoint(plan.http_port));
    stream_.socket().set_option(tcp::no_delay{true});
  }

  void begin(steady::time_point from) {
    every_ = seconds_of(plan_.batch * plan_.connections / plan_.rate);
    due_ = from + every_ * number_ / plan_.connections;
    from_ = from;
    until_ = from + seconds_of(plan_.seconds);
    wait();
    read();
  }

private:
  void wait() {
    timer_.expires_at(due_);
    timer_.async_wait([self = shared_from_this()](const error_code& e) {
      if (!e)
        self->send();
    });
  }

  void send() {
    if (due_ >= until_) {
      is_over_ = true;
      end_if_answered();
      return;
    }
    due_ += every_;
    std::string body = R"({"tasks":[)";
    for (std::uint32_t i = 0; i < plan_.batch; ++i)
      body += fmt::format(R"({}{{"id":"flood-{}-{}","workflow":"{}","payload":{{"n":{}}}}})", i == 0 ? "" : ",",
                          number_, next_++, workflow_name, i);
    body += "]}";
    to_send_.push_back(fmt::format("POST /v1/tasks/batch HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                                   "application/json\r\nContent-Length: {}\r\n\r\n",
                                   body.size())
                       + body);
    if (to_send_.size() == 1)
      write();
    wait();
  }

  void write() {
    net::async_write(stream_, net::buffer(to_send_.front()),
                     [self = shared_from_this()](const error_code& e, std::size_t) {
                       if (e)
                         return;
                       ++self->open_;
                       self->counts_.offered += self->plan_.batch;
                       self->counts_.seconds = std::chrono::duration<double>(steady::now() - self->from_).count();
                       self->to_send_.pop_front();
                       if (!self->to_send_.empty())
                         self->write();
                       else
                         self->end_if_answered(); // the answer may have been quicker than this
                     });
  }

  void read() {
    answer_.emplace();
    answer_->body_limit(answer_max);
    http::async_read(stream_, buffer_, *answer_, [self = shared_from_this()](const error_code& e, std::size_t) {
      if (!e)
        self->take();
    });
  }

  void take() {
    const auto& a = answer_->get();
    const auto made = a.result_int() == 200 ? count_of(a.body(), "\"status\":201") : 0;
    counts_.acknowledged += made;
    counts_.pushed_back += plan_.batch - made;
    if (a.result_int() != 200 && a[http::field::retry_after].empty())
      counts_.without_retry_after += plan_.batch;
    --open_;
    if (!end_if_answered())
      read();
  }

  /// What was not written is not offered.
  bool end_if_answered() {
    const bool ends = is_over_ && open_ == 0 && to_send_.empty();
    if (ends)
      stream_.close();
    return ends;
  }

  const flood_plan& plan_;
  flood_counts& counts_;
  const std::uint32_t number_;
  boost::beast::tcp_stream stream_;
  net::steady_timer timer_;
  boost::beast::flat_buffer buffer_;
  std::optional<http::response_parser<http::string_body>> answer_;
  std::deque<std::string> to_send_;
  steady::duration every_{};
  steady::time_point due_;
  steady::time_point from_;
  steady::time_point until_;
  std::uint64_t next_ = 0;
  std::int64_t open_ = 0; ///< requests without an answer
  bool is_over_ = false;
};

// ---- many streams ----

/// Follows one task, or all.
class listener {
public:
  listener(net::io_context& io, std::uint16_t port, event_counts& c, const std::string& target)
      : seen_{c},
        socket_{io} {
    socket_.connect(local_endpoint(port));
    net::write(socket_, net::buffer(fmt::format("GET {} HTTP/1.1\r\nHost: localhost\r\n\r\n", target)));
    read();
  }

private:
  void read() {
    net::async_read_until(socket_, buffer_, "\n\n", [this](const error_code& e, std::size_t size) {
      if (e)
        return;
      const auto* const from = static_cast<const char*>(buffer_.data().data());
      seen_.take({from, size}, std::chrono::system_clock::now());
      buffer_.consume(size);
      read();
    });
  }

  seen_events seen_;
  tcp::socket socket_;
  net::streambuf buffer_;
};

void make_tasks(http_connection& node, std::uint32_t count) {
  constexpr std::uint32_t most = 500;
  for (std::uint32_t i = 0; i < count;) {
    std::string body = R"({"tasks":[)";
    for (std::uint32_t k = 0; k < most && i < count; ++k, ++i)
      body += fmt::format(R"({}{{"id":"follow-{}","workflow":"{}","not_before_ms":{}}})", k == 0 ? "" : ",", i,
                          workflow_name, far_away);
    if (node.ask(http::verb::post, "/v1/tasks/batch", body + "]}").result_int() != 200)
      throw std::runtime_error{"the node did not take the tasks to follow"};
  }
}

/// Of all tasks, to its end.
void act_on_all(http_connection& node, const char* act) {
  const auto begun = json::parse(
    node.ask(http::verb::post, "/v1/bulk-acts", fmt::format(R"({{"act":"{}","workflow":"{}"}})", act, workflow_name))
      .body());
  const auto target = "/v1/bulk-acts/" + begun.at("bulk").dump();
  while (json::parse(node.ask(http::verb::get, target).body()).at("bulk").at("state") == "open")
    std::this_thread::sleep_for(look_again);
}

} // namespace

json flood(const flood_plan& plan) {
  flood_counts counts;
  histogram live;
  std::atomic<bool> is_over = false;
  std::thread asker{[&] {
    for (http_connection node{plan.http_port}; !is_over; std::this_thread::sleep_for(look_again)) {
      const auto asked = steady::now();
      if (node.ask(http::verb::get, "/health/live").result_int() != 200)
        break;
      live.add(steady::now() - asked);
    }
  }};
  net::io_context io;
  const auto from = steady::now() + look_again;
  for (std::uint32_t i = 0; i < plan.connections; ++i)
    std::make_shared<flooder>(io, plan, counts, i)->begin(from);
  io.run_until(from + seconds_of(plan.seconds) + answer_limit);
  const auto took = std::chrono::duration<double>(steady::now() - from).count();
  is_over = true;
  asker.join();
  return {{"offered", counts.offered},
          {"offered_per_second", static_cast<double>(counts.offered) / counts.seconds},
          {"acknowledged", counts.acknowledged},
          {"pushed_back", counts.pushed_back},
          {"without_retry_after", counts.without_retry_after},
          {"unanswered", counts.offered - counts.acknowledged - counts.pushed_back},
          {"seconds", took},
          {"live_ms", live.json()}};
}

namespace {

void run_until(net::io_context& io, steady::duration limit, const std::function<bool()>& is_reached) {
  for (const auto until = steady::now() + limit; !is_reached() && steady::now() < until;)
    io.run_for(look_again);
}

/// So many acts on all tasks, while the streams are read until they have so many events.
json act_and_count(net::io_context& io, http_connection& node, event_counts& counts, std::uint32_t rounds,
                   std::uint64_t wanted) {
  const auto begun = steady::now();
  std::atomic<bool> is_over = false;
  std::thread acting{[&] {
    for (std::uint32_t i = 0; i < rounds; ++i)
      act_on_all(node, i % 2 == 0 ? "suspend" : "resume");
    is_over = true;
  }};
  while (!is_over)
    io.run_for(look_again);
  acting.join();
  run_until(io, answer_limit, [&] { return counts.events >= wanted; });
  const auto took = std::chrono::duration<double>(steady::now() - begun).count();
  return {{"events", counts.events},
          {"missed", std::max(counts.missed, wanted - std::min(wanted, counts.events))},
          {"repeated", counts.repeated},
          {"seconds", took},
          {"events_per_second", static_cast<double>(counts.events) / took},
          {"arrived_ms", counts.arrived.json()}};
}

} // namespace

json follow(const follow_plan& plan) {
  http_connection node{plan.http_port};
  make_tasks(node, plan.streams);
  net::io_context io;
  event_counts counts;
  std::deque<listener> all;
  for (std::uint32_t i = 0; i < plan.streams; ++i) {
    all.emplace_back(io, plan.http_port, counts, fmt::format("/v1/tasks/follow-{}/events", i));
    io.poll();
  }
  run_until(io, answer_limit, [&] { return counts.ready >= plan.streams; });
  return act_and_count(io, node, counts, plan.rounds, std::uint64_t{plan.streams} * plan.rounds);
}

json follow_all(const follow_all_plan& plan) {
  http_connection node{plan.http_port};
  net::io_context io;
  event_counts counts;
  std::deque<listener> all;
  for (std::uint32_t i = 0; i < plan.streams; ++i)
    all.emplace_back(io, plan.http_port, counts, "/v1/events");
  run_until(io, answer_limit, [&] { return counts.began >= plan.streams; });
  make_tasks(node, plan.tasks);
  const auto each = std::uint64_t{plan.streams} * plan.tasks;
  run_until(io, answer_limit, [&] { return counts.ready >= each; });
  return act_and_count(io, node, counts, plan.rounds, each * plan.rounds);
}

} // namespace steadfast::bench
