#pragma once

#include <httplib.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace steadfast::tests {

/// Who is told by a webhook: an HTTP server of this process that keeps what it was sent and answers as it is told to.
class receiver {
public:
  struct delivery {
    std::string id;
    std::string body;
    int answered = 0; ///< status
    httplib::Headers headers{};
  };

  receiver() { listen(); }
  ~receiver() { go_away(); }
  receiver(const receiver&) = delete;
  receiver& operator=(const receiver&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/told"; }

  /// From now on. `after`: how long it takes to answer.
  void answer(int status, std::chrono::milliseconds after = {}, const std::string& retry_after = "") {
    const std::lock_guard lock{mutex_};
    status_ = status;
    after_ = after;
    ++times_set_;
    retry_after_ = retry_after;
    changed_.notify_all();
  }
  /// Connections are refused until it comes back.
  void go_away() {
    if (!server_)
      return;
    answer(status_);
    while (!server_->is_running()) // else it does not see that it is to stop
      std::this_thread::yield();
    server_->stop();
    thread_.join();
    server_.reset();
  }
  void come_back() { listen(); }

  std::vector<delivery> all() const {
    const std::lock_guard lock{mutex_};
    return all_;
  }
  /// Types of what it took, by task, each id once, in the order in which they came for the first time.
  std::map<std::string, std::vector<std::string>> taken() const {
    std::map<std::string, std::vector<std::string>> types;
    std::map<std::string, bool> seen;
    for (const auto& d : all())
      if (d.answered == 200 && !std::exchange(seen[d.id], true)) {
        const auto body = nlohmann::json::parse(d.body);
        types[body.at("data").value("task", "")].push_back(body.at("type"));
      }
    return types;
  }

private:
  void listen() {
    server_ = std::make_unique<httplib::Server>();
    server_->set_keep_alive_timeout(1);
    server_->Post("/told", [this](const httplib::Request& q, httplib::Response& a) { on_told(q, a); });
    if (port_ == 0)
      port_ = server_->bind_to_any_port("127.0.0.1");
    else if (!server_->bind_to_port("127.0.0.1", port_))
      throw std::runtime_error{"the receiver cannot come back"};
    thread_ = std::thread{[s = server_.get()] { s->listen_after_bind(); }};
  }

  void on_told(const httplib::Request& q, httplib::Response& a) {
    std::unique_lock lock{mutex_};
    const auto times = times_set_;
    changed_.wait_for(lock, after_, [&] { return times_set_ != times; });
    all_.push_back({q.get_header_value("webhook-id"), q.body, status_, q.headers});
    a.status = status_;
    if (!retry_after_.empty())
      a.set_header("Retry-After", retry_after_);
  }

  int port_ = 0;
  std::unique_ptr<httplib::Server> server_;
  std::thread thread_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  int status_ = 200;
  int times_set_ = 0;
  std::chrono::milliseconds after_{0};
  std::string retry_after_;
  std::vector<delivery> all_;
};

} // namespace steadfast::tests
