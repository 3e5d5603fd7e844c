#include "examples/demo/load.hpp"

#include <utility>

namespace demo {

namespace {

constexpr std::chrono::milliseconds pause_before_repeat{100};

} // namespace

load::load(std::vector<submission> work, client_log& log, load_options options)
    : work_{std::move(work)},
      log_{log},
      options_{std::move(options)} {
  for (std::uint32_t i = 0; i < options_.clients; ++i)
    clients_.emplace_back([this, i] { run_client(i); });
}

load::~load() {
  stop();
}

void load::stop() {
  stopped_ = true;
  for (auto& client : clients_)
    if (client.joinable())
      client.join();
}

void load::run_client(std::size_t number) {
  connection to{number, {}};
  for (auto i = next_++; i < work_.size() && !stopped_; i = next_++) {
    wait_for_turn(i);
    submit(work_[i], to);
  }
}

void load::wait_for_turn(std::size_t i) const {
  std::this_thread::sleep_until(started_ + std::chrono::milliseconds{1000 * i / options_.rate});
}

void load::submit(const submission& s, connection& to) {
  while (!stopped_) {
    switch (submit_once(s, to)) {
      case reply::acknowledged: ++acknowledged_; return;
      case reply::refused: ++refused_; return;
      case reply::none: ++repeated_;
    }
    std::this_thread::sleep_for(pause_before_repeat);
  }
}

load::reply load::submit_once(const submission& s, connection& to) {
  log_.invoked(s);
  try {
    if (!to.client)
      to.client.emplace(options_.sockets[to.node % options_.sockets.size()]);
    steadfast::submit_options how;
    how.id = s.id;
    how.reply_to = s.reply_to;
    to.client->submit(s.workflow, s.payload, how);
    log_.acknowledged(s);
    return reply::acknowledged;
  } catch (const steadfast::client_error& e) {
    if (e.why() == steadfast::client_error::kind::refused || e.why() == steadfast::client_error::kind::not_found) {
      log_.refused(s, e.what());
      return reply::refused;
    }
    log_.without_answer(s, e.what());
    to.client.reset();
    ++to.node;
    return reply::none;
  }
}

} // namespace demo
