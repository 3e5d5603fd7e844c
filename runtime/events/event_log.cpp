#include "runtime/events/event_log.hpp"

#include "api/error.hpp"
#include "api/names.hpp"
#include "client/exact_json.hpp"
#include "runtime/text/time_text.hpp"

#include <algorithm>
#include <exception>
#include <random>
#include <utility>

namespace steadfast::runtime {

namespace {

using nlohmann::json;
using std::chrono::milliseconds;

constexpr std::size_t events_max = 20'000;
constexpr std::size_t bytes_max = 16 << 20;
constexpr std::size_t read_max = 64 << 10;      ///< bytes of one read
constexpr std::size_t scanned_max = 50'000;     ///< tasks that a scan tells of
constexpr std::uint64_t page_max = 1000;        ///< tasks of `task.list`
constexpr std::uint64_t apart_max = 16;         ///< numbers of tasks that one page has
constexpr workflow::span commit_margin{10'000}; ///< by which a change may be dated before its commit
constexpr milliseconds kept_unread{300'000};
constexpr milliseconds again_after{1000}; ///< when a read failed

std::uint64_t number_of(const json& t) {
  return t.at("number");
}

/// Of one that was read more than once, how it was last.
void keep_newest(std::vector<json>& tasks) {
  std::sort(tasks.begin(), tasks.end(), [](const json& a, const json& b) {
    return number_of(a) == number_of(b) ? a.at("revision") > b.at("revision") : number_of(a) < number_of(b);
  });
  const auto is_same = [](const json& a, const json& b) { return number_of(a) == number_of(b); };
  tasks.erase(std::unique(tasks.begin(), tasks.end(), is_same), tasks.end());
}

/// In the order in which they changed, as far as that is known.
void sort(std::vector<json>& tasks) {
  std::sort(tasks.begin(), tasks.end(), [](const json& a, const json& b) {
    const auto& x = a.at("changed_at");
    const auto& y = b.at("changed_at");
    return x == y ? number_of(a) < number_of(b) : x < y;
  });
}

/// Of one that may be new.
std::vector<const char*> kinds_of(const json& t, const newest_numbers& submitted) {
  std::vector<const char*> kinds;
  const bool is_new = !submitted.has(number_of(t));
  if (is_new)
    kinds.push_back("submitted");
  if (is_end(t.at("process_state")))
    kinds.push_back("ended");
  else if (t.at("process_state") != "pending" || t.at("changed_at") != t.at("submitted_at"))
    kinds.push_back("changed");
  return kinds;
}

task_event event_of(const json& t, const char* kind) {
  return {kind, t.at("workflow"), exact_text({{"task", t}}), number_of(t), t.at("revision")};
}

/// What left the store since, and at most that many tasks with it, cannot be told.
task_event gap_of(const event_position& since, std::uint64_t purged, bool is_cut) {
  const json told{{"since", utc_text(since.at)},
                  {"purged", purged},
                  {"is_cut", is_cut},
                  {"detail", "what happened since then is not told one by one: what follows are the tasks that have "
                             "changed, as they are now, without those that have left the store (`purged`, at most)"}};
  return {"gap", {}, told.dump()};
}

newest_numbers submitted_by(const json& stats) {
  if (const auto all = stats.find("last_numbers"); all != stats.end())
    return newest_numbers{all->get<std::vector<std::uint64_t>>()};
  return newest_numbers{{stats.at("last_number").get<std::uint64_t>()}};
}

task_event with_id(task_event e, const event_position& at) {
  e.text = event_text(to_text(at), e.kind, e.text);
  return e;
}

} // namespace

event_log::event_log(watch_parts p, std::function<workflow::instant()> clock)
    : parts_{std::move(p)},
      clock_{std::move(clock)} {}

json event_log::call(const char* method, const json& params) const {
  return parts_.methods->at(method)(params);
}

// ---- who follows ----

event_position event_log::begin() {
  const std::lock_guard one{reading_};
  if (!parts_.hub->wait_until_complete(again_after))
    throw api::error{
      api::error::busy,
      "no node tells changes of its tasks now: the store is being taken over, or its node is of an older "
      "version; ask again",
      again_after};
  {
    const std::lock_guard lock{mutex_};
    if (listening_)
      return tip_;
  }
  auto listening = parts_.hub->listen_to_all([weak = weak_from_this()](const task_changes& c) {
    if (const auto self = weak.lock())
      self->take(c);
  });
  event_position tip;
  tip.run = std::random_device{}();
  tip.at = clock_();
  const auto there = stats();
  tip.submitted = submitted_by(there);
  tip.purged = there.at("tasks_purged");
  {
    const std::lock_guard lock{mutex_};
    listening_ = std::move(listening);
    tip_ = tip;
    ++begun_;
  }
  let_go_unless_followed(begun_);
  return tip;
}

change_hub::listening event_log::follow(std::function<void()> wake) {
  auto heard = readers_->listen_to_all([wake = std::move(wake)](const task_changes&) { wake(); });
  {
    const std::lock_guard lock{mutex_};
    ++followers_;
  }
  return {this, [weak = weak_from_this(), heard](void*) mutable {
            heard.reset();
            const auto self = weak.lock();
            if (!self)
              return;
            std::unique_lock lock{self->mutex_};
            const auto begun = self->begun_;
            const bool is_last = --self->followers_ == 0;
            lock.unlock();
            if (is_last)
              self->let_go_unless_followed(begun);
          }};
}

void event_log::let_go_unless_followed(std::uint64_t begun) {
  parts_.later(kept_unread, [weak = weak_from_this(), begun] {
    const auto self = weak.lock();
    change_hub::listening gone;
    if (!self)
      return;
    const std::lock_guard lock{self->mutex_};
    if (self->followers_ > 0 || self->begun_ != begun)
      return;
    gone = std::move(self->listening_);
    self->events_.clear();
    self->revisions_.clear();
    self->changed_.clear();
    self->bytes_ = 0;
    self->has_hole_ = self->may_lack_ = false;
  });
}

void event_log::close() {
  readers_->close();
}

event_log::read_result event_log::read_after(const event_position& p) const {
  const std::lock_guard lock{mutex_};
  read_result r{{}, p};
  const auto first = tip_.place - events_.size(); // what the oldest comes after
  r.is_lost = p.run != tip_.run || p.place < first || p.place > tip_.place || !listening_;
  if (r.is_lost)
    return r;
  std::size_t bytes = 0;
  for (auto i = p.place - first; i < events_.size() && bytes < read_max; ++i) {
    r.events.push_back(events_[i]);
    bytes += events_[i]->text.size();
  }
  if (r.events.empty())
    return r;
  r.reached.place += r.events.size();
  if (r.reached.place == tip_.place)
    r.reached = tip_;
  return r;
}

// ---- what has changed ----

/// On the thread that tells it.
void event_log::take(const task_changes& c) {
  const std::lock_guard lock{mutex_};
  has_hole_ = has_hole_ || !c.is_complete;
  may_lack_ = may_lack_ || c.any;
  changed_.insert(changed_.end(), c.numbers.begin(), c.numbers.end());
  if (c.is_complete && !std::exchange(is_queued_, true))
    run_soon();
}

void event_log::run_soon() {
  parts_.on_pool([weak = weak_from_this()] {
    if (const auto self = weak.lock())
      self->run();
  });
}

void event_log::run() {
  try {
    const std::lock_guard one{reading_};
    write_changed();
    readers_->take({{}, true, true});
  } catch (const std::exception&) { // the store is away, or too much is asked of it
    {
      const std::lock_guard lock{mutex_};
      has_hole_ = is_queued_ = true;
    }
    parts_.later(again_after, [weak = weak_from_this()] {
      if (const auto self = weak.lock())
        self->run_soon();
    });
  }
}

void event_log::write_changed() {
  const auto now = clock_();
  std::vector<std::uint64_t> numbers;
  bool has_hole = false;
  bool may_lack = false;
  event_position since;
  {
    const std::lock_guard lock{mutex_};
    is_queued_ = false;
    numbers.swap(changed_);
    has_hole = std::exchange(has_hole_, false);
    may_lack = std::exchange(may_lack_, false);
    since = tip_;
  }
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  auto tasks = read_tasks(numbers);
  const auto missing = numbers.size() - tasks.size();
  bool is_cut = false;
  if (has_hole || may_lack) {
    auto more = read_changed(since, is_cut);
    std::move(more.begin(), more.end(), std::back_inserter(tasks));
    has_hole = has_hole || is_cut;
  }
  const auto purged = stats().at("tasks_purged").get<std::uint64_t>();
  const std::lock_guard lock{mutex_};
  auto reached = tip_;
  reached.at = now;
  reached.purged = purged;
  if (has_hole || missing > 0)
    add(gap_of(since, purged - std::min(purged, since.purged) + missing, is_cut), tip_);
  write(std::move(tasks), reached);
}

std::vector<json> event_log::read_tasks(const std::vector<std::uint64_t>& numbers) const {
  std::vector<json> found;
  for (auto end = numbers.size(); end > 0;) {
    const auto top = numbers[end - 1];
    auto from = end - 1;
    while (from > 0 && numbers[from] - numbers[from - 1] <= apart_max && top - numbers[from - 1] < page_max)
      --from;
    auto page = call(api::task_list, {{"before", top + 1}, {"max", top - numbers[from] + 1}});
    for (auto& t : page.at("tasks"))
      if (std::binary_search(numbers.begin() + static_cast<std::ptrdiff_t>(from),
                             numbers.begin() + static_cast<std::ptrdiff_t>(end), number_of(t)))
        found.push_back(std::move(t));
    end = from;
  }
  return found;
}

/// REQUIRES: the lock is held.
void event_log::write(std::vector<json> tasks, event_position reached) {
  keep_newest(tasks);
  sort(tasks);
  std::vector<task_event> events;
  for (const auto& t : tasks) {
    const auto known = revisions_.find(number_of(t));
    if (known != revisions_.end() && known->second >= t.at("revision").get<std::uint64_t>())
      continue;
    for (const auto* const kind : kinds_of(t, tip_.submitted))
      events.push_back(event_of(t, kind));
    reached.submitted.add(number_of(t));
  }
  const auto reach = [&] {
    reached.place = tip_.place;
    tip_ = reached;
  };
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (i + 1 == events.size())
      reach(); // before, some of them have not been told
    add(std::move(events[i]), tip_);
  }
  reach();
}

/// REQUIRES: the lock is held.
void event_log::add(task_event e, event_position at) {
  at.place = ++tip_.place;
  if (e.number != 0)
    revisions_[e.number] = e.revision;
  events_.push_back(std::make_shared<const task_event>(with_id(std::move(e), at)));
  bytes_ += events_.back()->text.size();
  while (events_.size() > events_max || bytes_ > bytes_max) {
    const auto& oldest = *events_.front();
    if (const auto known = revisions_.find(oldest.number);
        known != revisions_.end() && known->second == oldest.revision)
      revisions_.erase(known);
    bytes_ -= oldest.text.size();
    events_.pop_front();
  }
}

// ---- what the store tells of the time before ----

json event_log::stats() const {
  return call(api::store_stats, json::object());
}

bool event_log::has_changed(const json& t, const event_position& since, const std::string& from) const {
  const auto number = number_of(t);
  if (!since.submitted.has(number) || t.at("changed_at").get_ref<const std::string&>() >= from)
    return true;
  const std::lock_guard lock{mutex_};
  const auto known = revisions_.find(number);
  return known != revisions_.end() && known->second < t.at("revision").get<std::uint64_t>();
}

std::vector<json> event_log::read_changed(const event_position& since, bool& is_cut) const {
  const auto moment = std::max(since.at - commit_margin, workflow::unset);
  const auto from = utc_text(moment);
  // News will come of those that are submitted from now on. They are left out, since not all of them would be met: one
  // that has ended by then would be, and one that was submitted before it and goes on would not.
  const auto there = submitted_by(stats());
  std::map<std::uint64_t, json> found; // one that moves on meanwhile is met twice
  const auto read_all = [&](json params) {
    params["max"] = page_max;
    for (;;) {
      auto page = call(api::task_list, params);
      for (auto& t : page.at("tasks"))
        if (there.has(number_of(t)) && has_changed(t, since, from)) {
          t.erase("payload");
          const auto number = number_of(t);
          found[number] = std::move(t);
        }
      is_cut = found.size() > scanned_max;
      if (page.at("next").is_null() || is_cut)
        return;
      params["before"] = page.at("next");
    }
  };
  read_all({{"states", {"pending", "processing", "undoing", "suspended"}}});
  read_all({{"states", {"processed", "undone", "error"}}, {"ended_after_ms", moment.time_since_epoch().count()}});
  std::vector<json> tasks;
  tasks.reserve(found.size());
  for (auto& [number, t] : found)
    tasks.push_back(std::move(t));
  return tasks;
}

std::optional<event_log::scan_result> event_log::scan_after(const event_position& p) {
  const std::unique_lock alone{scanning_, std::try_to_lock};
  if (!alone)
    return std::nullopt;
  scan_result r;
  r.after = begin();
  bool is_cut = false;
  auto tasks = read_changed(p, is_cut);
  sort(tasks);
  const auto purged = stats().at("tasks_purged").get<std::uint64_t>();
  auto before = p; // a client that loses the connection on the way begins again
  before.run = before.place = 0;
  const auto add_event = [&](task_event e) {
    r.events.push_back(std::make_shared<const task_event>(with_id(std::move(e), before)));
  };
  add_event(gap_of(p, purged - std::min(purged, p.purged), is_cut));
  for (const auto& t : tasks)
    for (const auto* const kind : kinds_of(t, p.submitted))
      add_event(event_of(t, kind));
  return r;
}

} // namespace steadfast::runtime
