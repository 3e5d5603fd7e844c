#include "runtime/events/event_stream.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <unordered_map>
#include <utility>

namespace steadfast::runtime {

namespace {

constexpr std::size_t piece_size = 64 << 10;  ///< bytes
constexpr workflow::span news_margin{10'000}; ///< by which the log may tell again what the store told

bool names(const std::vector<std::string>& all, const std::string& one) {
  return all.empty() || std::find(all.begin(), all.end(), one) != all.end();
}

/// Sets what a client has seen, and is no event to it.
std::string position_text(const event_position& p) {
  return "id: " + to_text(p) + "\n\n";
}

/// One client. Looked at by one thread at a time.
class follower : public std::enable_shared_from_this<follower> {
public:
  follower(std::shared_ptr<event_log> log, watch_parts parts, event_filter filter, const event_position& seen,
           bool is_new)
      : log_{std::move(log)},
        parts_{std::move(parts)},
        filter_{std::move(filter)},
        seen_{seen} {
    if (is_new)
      text_ = position_text(seen_);
  }

  void look(const live_stream::reply& r) {
    live_stream::piece piece{std::exchange(text_, {})};
    if (scanned_at_ < scanned_.size()) {
      tell_scanned(piece);
    } else if (!read(piece)) {
      return parts_.on_pool([self = shared_from_this(), r] { r(self->scan()); });
    }
    r(std::move(piece));
  }

  std::string sign_of_life() const { return waits_for_scan_ ? std::string{":\n\n"} : position_text(seen_); }
  bool waits_for_scan() const { return waits_for_scan_; }

private:
  void tell_scanned(live_stream::piece& to) {
    while (scanned_at_ < scanned_.size() && to.text.size() < piece_size) {
      const auto& e = *scanned_[scanned_at_++];
      known_[e.number] = e.revision;
      if (filter_.takes(e))
        to.text += e.text;
    }
    to.has_more = true;
    if (scanned_at_ < scanned_.size())
      return;
    scanned_.clear();
    scanned_at_ = 0;
    to.text += position_text(seen_);
  }

  /// False: what comes next is not in the log any more.
  bool read(live_stream::piece& to) {
    for (;;) {
      const auto found = log_->read_after(seen_);
      if (found.is_lost)
        return false;
      seen_ = found.reached;
      if (seen_.at > known_until_)
        known_.clear();
      if (found.events.empty())
        return true;
      for (const auto& e : found.events)
        if (filter_.takes(*e) && !is_known(*e))
          to.text += e->text;
      to.has_more = to.text.size() >= piece_size;
      if (to.has_more)
        return true;
    }
  }

  /// The store told it.
  bool is_known(const task_event& e) const {
    const auto known = known_.find(e.number);
    return known != known_.end() && e.number != 0 && e.revision <= known->second;
  }

  /// Nothing: the store is away, or another client has its turn.
  live_stream::piece scan() {
    waits_for_scan_ = true;
    try {
      auto found = log_->scan_after(seen_);
      if (!found)
        return {};
      waits_for_scan_ = false;
      scanned_ = std::move(found->events);
      seen_ = found->after;
      known_until_ = seen_.at + news_margin;
      live_stream::piece piece;
      tell_scanned(piece);
      return piece;
    } catch (const std::exception&) {
      return {};
    }
  }

  const std::shared_ptr<event_log> log_;
  const watch_parts parts_;
  const event_filter filter_;
  event_position seen_; ///< with what was scanned
  std::atomic<bool> waits_for_scan_ = false;
  std::string text_; ///< to be sent first
  task_events scanned_;
  std::size_t scanned_at_ = 0;
  std::unordered_map<std::uint64_t, std::uint64_t> known_; ///< revisions of tasks that were scanned
  workflow::instant known_until_;
};

} // namespace

bool event_filter::takes(const task_event& e) const {
  return e.number == 0 || (names(workflows, e.workflow) && names(kinds, e.kind));
}

std::shared_ptr<live_stream> follow_all(const std::shared_ptr<event_log>& log, const watch_parts& parts,
                                        event_filter filter, const std::optional<event_position>& seen) {
  const auto now = log->begin();
  const auto f = std::make_shared<follower>(log, parts, std::move(filter), seen.value_or(now), !seen);
  auto stream = std::make_shared<live_stream>();
  stream->look = [f](const live_stream::reply& r) { f->look(r); };
  stream->listen = [log](std::function<void()> wake) { return log->follow(std::move(wake)); };
  stream->is_woken = [f, hub = parts.hub] { return hub->is_complete() && !f->waits_for_scan(); };
  stream->sign_of_life = [f] { return f->sign_of_life(); };
  return stream;
}

} // namespace steadfast::runtime
