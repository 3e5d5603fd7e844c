#include "examples/demo/load/load.hpp"

#include "api/names.hpp"

#include <algorithm>
#include <random>
#include <utility>

namespace demo {

namespace {

constexpr std::chrono::milliseconds pause_before_repeat{100};

// Of a hundred submissions, so many are followed by:
constexpr std::size_t looks = 25;
constexpr std::size_t repetitions = 4;
constexpr std::size_t conflicts = 2;
constexpr std::size_t looks_at_leases = 5;
constexpr std::size_t neighbours = 16; ///< ids that are asked about: so many before and after the own one

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
    if (options_.with_others)
      ask_about_others(i, to);
  }
}

/// Drawn from the place in the list, so that the same list is asked about in the same way.
void load::ask_about_others(std::size_t i, connection& to) {
  std::mt19937_64 chance{i};
  const auto drawn = chance() % 100;
  const auto first = i > neighbours ? i - neighbours : 0;
  auto other = work_[std::min(first + chance() % (2 * neighbours), work_.size() - 1)];
  if (drawn < looks)
    return look(other, to);
  if (drawn >= looks + repetitions + conflicts + looks_at_leases)
    return;
  if (drawn >= looks + repetitions + conflicts)
    return look_at_supervisor(to);
  if (drawn < looks + conflicts)
    other.payload.insert(other.payload.find('{') + 1, R"("note": "of another mind", )");
  submit_once(other, to);
}

void load::look(const submission& s, connection& to) {
  const auto call = log_.looked(s);
  try {
    log_.saw(call, s, client_of(to).show(s.id).at("revision").get<std::uint64_t>());
  } catch (const steadfast::client_error& e) {
    if (e.why() == steadfast::client_error::kind::not_found)
      return log_.saw(call, s, std::nullopt);
    log_.saw_no_answer(call, s, e.what());
    leave(to);
  }
}

void load::look_at_supervisor(connection& to) {
  const std::string lease = "supervisor";
  const auto lease_of_first_partition = lease + ".partition-0"; // where there are several
  const auto call = log_.looked_at_lease(lease);
  try {
    const auto all = client_of(to).call(steadfast::api::lease_list, nlohmann::json::object());
    for (const auto& l : all.at("leases"))
      if (l.at("name") == lease || l.at("name") == lease_of_first_partition)
        return log_.saw_lease(call, lease, l.at("expires_at").is_null() ? "" : l.at("holder").get<std::string>(),
                              l.at("epoch").get<std::uint64_t>());
    log_.saw_no_lease(call, lease, "it was not held yet");
  } catch (const steadfast::client_error& e) {
    log_.saw_no_lease(call, lease, e.what());
    leave(to);
  }
}

steadfast::client& load::client_of(connection& to) const {
  if (!to.client)
    to.client.emplace(options_.sockets[to.node % options_.sockets.size()]);
  return *to.client;
}

void load::leave(connection& to) {
  to.client.reset();
  ++to.node;
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
  const auto call = log_.invoked(s);
  try {
    steadfast::submit_options how;
    how.id = s.id;
    how.reply_to = s.reply_to;
    how.conflict = s.conflict;
    how.debounce = s.debounce;
    const auto told = client_of(to).submit(s.workflow, s.payload, how);
    log_.acknowledged(call, s, told);
    return reply::acknowledged;
  } catch (const steadfast::client_error& e) {
    if (e.why() == steadfast::client_error::kind::refused || e.why() == steadfast::client_error::kind::not_found) {
      log_.refused(call, s, e.what());
      return reply::refused;
    }
    log_.without_answer(call, s, e.what());
    leave(to);
    return reply::none;
  }
}

} // namespace demo
