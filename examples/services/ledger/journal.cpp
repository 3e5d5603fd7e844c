#include "examples/services/ledger/journal.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace services {

namespace {

std::int64_t steady_ns() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(since).count();
}

} // namespace

journal::journal(std::string service, const std::string& database_path, const std::string& log_path)
    : service_{std::move(service)},
      ledger_{database_path},
      log_{log_path} {
  complete_log();
  thread_ = std::thread{[this] { serve(); }};
}

journal::~journal() {
  {
    const std::lock_guard guard{mutex_};
    stopping_ = true;
  }
  arrived_.notify_one();
  thread_.join();
}

void journal::complete_log() {
  const auto& written = log_.seqs_at_start();
  ledger_.each_line([&](std::uint64_t seq, const std::string& line) {
    if (!written.contains(seq))
      log_.append(line);
  });
  next_seq_ = 1 + std::max(ledger_.last_seq(), written.empty() ? 0 : *written.rbegin());
}

answer journal::record(const call& c, work what) {
  return wait_for({&c, std::move(what), {}, {}, {}});
}

void journal::look(const std::function<void(ledger&)>& what) {
  wait_for({nullptr,
            [&](ledger& l) {
              what(l);
              return answer{};
            },
            {},
            {},
            {}});
}

answer journal::wait_for(order o) {
  auto done = o.done.get_future();
  {
    const std::lock_guard guard{mutex_};
    waiting_.push_back(std::move(o));
  }
  arrived_.notify_one();
  return done.get();
}

std::map<std::string, std::uint64_t> journal::counts() const {
  const std::lock_guard guard{mutex_};
  return counts_;
}

void journal::serve() {
  for (;;) {
    std::vector<order> orders;
    {
      std::unique_lock lock{mutex_};
      arrived_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
      if (waiting_.empty())
        return;
      orders.swap(waiting_);
    }
    carry_out(orders);
  }
}

void journal::carry_out(std::vector<order>& orders) {
  try {
    commit(orders);
  } catch (...) {
    for (auto& o : orders)
      o.done.set_exception(std::current_exception());
    return;
  }
  write_lines(orders);
  for (auto& o : orders)
    o.done.set_value(std::move(o.outcome));
}

void journal::commit(std::vector<order>& orders) {
  ledger_.begin();
  try {
    for (auto& o : orders) {
      o.outcome = o.what(ledger_);
      if (!o.about)
        continue;
      const auto seq = next_seq_;
      o.line = line_of(*o.about, o.outcome);
      if (changes_state(o.outcome.result))
        ledger_.remember_line(seq, o.line);
    }
    ledger_.commit();
  } catch (...) {
    ledger_.roll_back();
    throw;
  }
}

void journal::write_lines(const std::vector<order>& orders) {
  for (const auto& o : orders)
    if (o.about)
      log_.append(o.line);
  const std::lock_guard guard{mutex_};
  for (const auto& o : orders)
    if (o.about)
      ++counts_[std::string{to_string(o.outcome.result)}];
}

std::string journal::line_of(const call& c, const answer& a) {
  nlohmann::ordered_json line{{"seq", next_seq_++},
                              {"service", service_},
                              {"key", c.key},
                              {"action", to_string(c.action)},
                              {"reverses", c.action == action::perform ? std::string{} : c.reverses},
                              {"task", c.task},
                              {"step", c.step},
                              {"epoch", c.epoch},
                              {"attempt", c.attempt},
                              {"try", c.attempt_try},
                              {"args", c.args},
                              {"result", to_string(a.result)},
                              {"steady_ns", steady_ns()}};
  if (a.is_later)
    line["later"] = true;
  if (a.is_finished)
    line["finished"] = *a.is_finished;
  if (const auto mark = c.body.find("mark"); mark != c.body.end() && mark->is_string())
    line["mark"] = *mark;
  return line.dump(-1, ' ', false, json::error_handler_t::replace);
}

} // namespace services
