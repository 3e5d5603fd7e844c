#include "store/partitions/ended_tasks.hpp"

#include "store/contract/state_store.hpp"
#include "store/postgres/kept_rows.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace steadfast::store {

namespace {

using postgres::marked_range;

constexpr std::int64_t ids_in_page = 10'000;
constexpr std::int64_t tasks_in_page = 50;            ///< with their payloads
constexpr std::chrono::milliseconds patience{60'000}; ///< of who copies all
constexpr std::chrono::milliseconds read_ids_again{1000};

std::int64_t table_of(lmdb::table tables::*t) {
  return static_cast<std::int64_t>(place_of(t));
}

std::int64_t as_number(std::uint64_t n) {
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return static_cast<std::int64_t>(std::min(n, most));
}

std::string text_of(const key& k) {
  return std::string{k.view()};
}

marked_range range_of_numbers(std::uint64_t before) {
  return {table_of(&tables::tasks), as_number(before), {}, {}};
}

marked_range range_of_keys(lmdb::table tables::*t, std::string_view prefix, std::uint64_t before) {
  return {table_of(t), 0, std::string{prefix}, text_of(key{prefix, before})};
}

/// Of those that processed, and only of them, there are no rows by state.
marked_range range_of(const tasks_elsewhere::question& q) {
  if (q.payload)
    return range_of_keys(&tables::payload_index, payload_value_key(*q.payload), q.before);
  const bool is_of_one_state = q.states.size() == 1 && q.states.front() != workflow::process_state::processed;
  if (is_of_one_state)
    return range_of_keys(&tables::states, key{static_cast<std::uint8_t>(q.states.front())}, q.before);
  return range_of_numbers(q.before);
}

template <class T>
void keep_each_once(std::vector<T>& all) {
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
}

/// So many tasks that an answer is not too large, whatever their payloads are.
template <class T, class Use>
void each_part(const std::vector<T>& all, Use use) {
  for (auto from = all.begin(); from != all.end();) {
    const auto end = from + std::min<std::ptrdiff_t>(tasks_in_answer, all.end() - from);
    use(std::vector<T>{from, end});
    from = end;
  }
}

} // namespace

std::vector<std::int64_t> as_numbers(const std::vector<std::uint64_t>& all) {
  return {all.begin(), all.end()};
}

namespace {

/// Each question finds few rows by an index. A server that has not counted the rows yet, or has no time to, takes them
/// for few in a large part of the table, and reads that.
postgres::connection open_for_questions(const postgres::owner_settings& owner, std::int64_t partition,
                                        const std::string& name, const postgres::session_limits& limits,
                                        const postgres::monotonic_clock& now) {
  auto session = postgres::open_where_known(
    owner, partition, postgres::session_name(owner.where.schema, partition) + " " + name, limits, now);
  std::vector<postgres::statement> settings;
  for (const auto* way : {"enable_seqscan", "enable_bitmapscan", "enable_hashjoin", "enable_mergejoin", "jit"})
    settings.push_back({std::string{"set "} + way + " = off", {}});
  session.read(settings);
  return session;
}

} // namespace

std::vector<rows_of_task> grouped(std::vector<postgres::marked_row> by_task) {
  std::vector<rows_of_task> all;
  for (auto& r : by_task) {
    if (all.empty() || all.back().number != r.task)
      all.push_back({r.task, {}});
    all.back().rows.push_back({static_cast<std::uint64_t>(r.at.table), std::move(r.at.key), std::move(r.value)});
  }
  return all;
}

ended_tasks::ended_tasks(postgres::owner_settings owner, std::int64_t partition, postgres::monotonic_clock now)
    : owner_{std::move(owner)},
      partition_{partition},
      now_{std::move(now)} {}

ended_tasks::~ended_tasks() = default;

// ---- questions ----

/// Throws store_error if it cannot be told.
std::vector<postgres::rows> ended_tasks::ask(std::vector<postgres::statement> all) const {
  const std::lock_guard lock{asking_};
  std::int64_t until = 0;
  {
    const std::lock_guard known{mutex_};
    until = until_;
  }
  all.insert(all.begin(), postgres::statement_of_until(partition_));
  try {
    if (!session_ || !session_->is_open())
      session_ = open_for_questions(owner_, partition_, "ended", owner_.limits, now_);
    auto found = session_->read(all);
    if ((found[0].size() == 1 ? found[0].number(0, 0) : 0) < until)
      throw store_error{"the server at " + session_->server() + " is behind", false};
    found.erase(found.begin());
    return found;
  } catch (const store_error& e) {
    session_.reset();
    throw store_error{std::string{"tasks that ended cannot be looked up now: "} + e.what(), false};
  }
}

bool ended_tasks::counts_here(std::uint64_t number) const {
  const std::lock_guard lock{mutex_};
  return !back_.contains(number);
}

bool ended_tasks::has_all_ids() const {
  const std::lock_guard lock{mutex_};
  return has_all_ids_;
}

bool ended_tasks::are_there_any() const {
  const std::lock_guard lock{mutex_};
  return !has_all_ids_ || ids_.added() > 0;
}

bool ended_tasks::may_have(const std::string& id) const {
  if (id.empty() || id.size() > workflow::task_id_size_max)
    return false;
  const std::lock_guard lock{mutex_};
  return !has_all_ids_ || ids_.may_have(id);
}

/// `but`: those that were back before it was asked; some of them may be neither back nor marked by now.
std::vector<rows_of_task> ended_tasks::those_that_count(const postgres::rows& found,
                                                        const std::set<std::uint64_t>& but) const {
  auto all = grouped(postgres::marked_rows_in(found));
  std::erase_if(all, [&](const rows_of_task& t) { return but.contains(t.number) || !counts_here(t.number); });
  return all;
}

std::set<std::uint64_t> ended_tasks::set_of_back() const {
  const std::lock_guard lock{mutex_};
  return back_;
}

tasks_elsewhere::page ended_tasks::newest(const question& q) const {
  page p;
  if (q.most == 0 || !are_there_any())
    return p;
  const auto but = set_of_back();
  const auto found = ask({postgres::statement_of_newest(partition_, range_of(q), static_cast<std::int64_t>(q.most),
                                                        as_numbers(q.of_tables))});
  const auto rows = postgres::marked_rows_in(found[0]);
  std::set<std::uint64_t> numbers;
  for (const auto& r : rows)
    numbers.insert(r.task);
  if (numbers.size() == q.most)
    p.down_to = *numbers.begin();
  p.tasks = those_that_count(found[0], but);
  return p;
}

std::optional<rows_of_task> ended_tasks::find(std::uint64_t number) const {
  const auto none_leaves = hold();
  const auto but = set_of_back();
  if (!are_there_any() || but.contains(number))
    return std::nullopt;
  const auto found = ask({postgres::statement_of_tasks(partition_, {as_number(number)})});
  auto all = those_that_count(found[0], but);
  return all.empty() ? std::nullopt : std::optional{std::move(all.front())};
}

std::optional<rows_of_task> ended_tasks::find(const std::string& id) const {
  const auto none_leaves = hold();
  if (!may_have(id))
    return std::nullopt;
  const auto but = set_of_back();
  const auto found = ask({postgres::statement_of_tasks_with(partition_, table_of(&tables::ids), {id})});
  auto all = those_that_count(found[0], but);
  return all.empty() ? std::nullopt : std::optional{std::move(all.front())};
}

// ---- before a batch is decided ----

/// In the order of their ends.
std::vector<ended_tasks::member> ended_tasks::those_to_purge(const std::vector<const purge_ended*>& purges,
                                                             std::uint64_t there) const {
  const auto& of = purges.front()->workflow;
  const auto after = first_place(purges);
  const auto from = text_of(ended_key(of, after.ended_at, after.number));
  const auto end = text_of(ended_key(of, workflow::never, std::numeric_limits<std::uint64_t>::max()));
  const auto most = static_cast<std::int64_t>(looked_at_max(purges)) + 1;
  const auto found =
    ask({postgres::statement_of_entries(partition_, table_of(&tables::ended), from, end, most, back())});
  std::vector<member> all;
  std::vector<ended_task> left;
  for (std::size_t i = 0; i < found[0].size(); ++i) {
    const auto k = found[0].text(i, 0);
    key_reader rest{std::string_view{k}.substr(owner_key(of).view().size())};
    const auto ended_at = rest.instant().value_or(workflow::unset);
    left.push_back({ended_at, rest.number<std::uint64_t>().value_or(0)});
    all.push_back({left.back(), last_number(found[0].text(i, 1))});
  }
  all.resize(looked_at_by(purges, there, left));
  return all;
}

/// Those whose parent is there are `children`: they leave with it, and nothing else need be known of them.
void ended_tasks::take_children(const std::vector<member>& all, const std::function<bool(std::uint64_t)>& has,
                                std::vector<ended_task>& children, std::vector<std::uint64_t>& others) const {
  std::set<std::uint64_t> there;
  std::set<std::uint64_t> open;
  for (const auto& c : all)
    if (c.parent != 0 && has(c.parent))
      there.insert(c.parent);
    else if (c.parent != 0 && counts_here(c.parent))
      open.insert(c.parent);
  if (!open.empty()) {
    const auto found = ask({postgres::statement_of_those_there(partition_, table_of(&tables::tasks),
                                                               as_numbers({open.begin(), open.end()}))});
    for (std::size_t i = 0; i < found[0].size(); ++i)
      there.insert(static_cast<std::uint64_t>(found[0].number(i, 0)));
  }
  for (const auto& c : all)
    if (there.contains(c.parent))
      children.push_back(c.what);
    else
      others.push_back(c.what.number);
}

void ended_tasks::find_needed(const needed_tasks& needed, const std::function<bool(std::uint64_t)>& has,
                              const std::function<std::uint64_t(const std::string&)>& there, asked_elsewhere& asked,
                              const std::function<void(std::vector<rows_of_task>)>& use) const {
  asked.ids.insert(needed.ids.begin(), needed.ids.end());
  asked.numbers.insert(needed.numbers.begin(), needed.numbers.end());
  if (!are_there_any())
    return;
  std::vector<std::string> ids;
  for (const auto& id : needed.ids)
    if (may_have(id))
      ids.push_back(id);
  std::vector<std::uint64_t> numbers;
  for (const auto n : needed.numbers)
    if (!has(n) && counts_here(n))
      numbers.push_back(n);
  keep_each_once(ids);
  keep_each_once(numbers);
  const auto take = [&](const postgres::statement& question) {
    if (auto found = those_that_count(ask({question})[0], {}); !found.empty())
      use(std::move(found));
  };
  const auto take_numbered = [&](const std::vector<std::uint64_t>& part) {
    take(postgres::statement_of_tasks(partition_, as_numbers(part)));
  };
  each_part(ids, [&](const std::vector<std::string>& part) {
    take(postgres::statement_of_tasks_with(partition_, table_of(&tables::ids), part));
  });
  each_part(numbers, take_numbered);
  for (const auto& [workflow, purges] : needed.purges) { // of those that have not come back
    std::vector<std::uint64_t> others;
    asked.children[workflow] = {};
    take_children(those_to_purge(purges, there(workflow)), has, asked.children[workflow], others);
    each_part(others, take_numbered);
  }
}

/// From the lists that their rows are in.
elsewhere_counts ended_tasks::counts() const {
  elsewhere_counts all;
  if (!are_there_any())
    return all;
  const auto each_key = [this](lmdb::table tables::*t, const std::function<void(std::string_view)>& use) {
    std::string from;
    const std::string end(key::size_max, '\xff');
    for (bool more = true; more;) {
      const auto found = ask({postgres::statement_of_keys(partition_, table_of(t), from, end, ids_in_page, back())});
      for (std::size_t i = 0; i < found[0].size(); ++i)
        use(from = found[0].text(i, 0));
      from += '\0';
      more = found[0].size() == static_cast<std::size_t>(ids_in_page);
    }
  };
  auto& processed = all.tasks.at(static_cast<std::size_t>(workflow::process_state::processed));
  each_key(&tables::ended, [&](std::string_view k) {
    ++all.workflows[std::string{workflow_of(k)}];
    ++processed;
  });
  each_key(&tables::states, [&](std::string_view k) {
    ++all.tasks.at(key_reader{k}.number<std::uint8_t>().value_or(0) % all.tasks.size());
    --processed;
  });
  return all;
}

// ---- leaving and coming back ----

void ended_tasks::begin(std::int64_t until, const std::vector<std::uint64_t>& back) {
  const std::lock_guard lock{mutex_};
  until_ = until;
  back_ = {back.begin(), back.end()};
}

void ended_tasks::come_back(const std::vector<std::uint64_t>& numbers) {
  const std::lock_guard lock{mutex_};
  back_.insert(numbers.begin(), numbers.end());
}

std::vector<std::int64_t> ended_tasks::back() const {
  const std::lock_guard lock{mutex_};
  return {back_.begin(), back_.end()};
}

std::size_t ended_tasks::count_back() const {
  const std::lock_guard lock{mutex_};
  return back_.size();
}

void ended_tasks::keep(std::int64_t until, const std::vector<std::int64_t>& back_before,
                       const std::vector<std::uint64_t>& marked) {
  const std::lock_guard lock{mutex_};
  until_ = until;
  for (const auto n : back_before)
    back_.erase(static_cast<std::uint64_t>(n));
  back_.insert(marked.begin(), marked.end());
}

void ended_tasks::leave(const std::vector<leaving_task>& all, std::size_t count) {
  const std::lock_guard lock{mutex_};
  for (std::size_t i = 0; i < count; ++i) {
    back_.erase(all[i].number);
    if (ids_.room() <= id_bits::room_max && !ids_.add(all[i].id)) {
      know_more_ids();
      ids_wanted_.notify_all();
    }
  }
}

/// There is no room for all of them: they are read anew into more.
void ended_tasks::know_more_ids() {
  ids_ = id_bits{ids_.room() * 4};
  ids_until_.clear();
  ++anew_;
  has_all_ids_ = false;
}

void ended_tasks::begin_to_know_ids() {
  if (!reading_ids_.joinable())
    reading_ids_ = std::jthread{[this](const std::stop_token& end) { read_ids(end); }};
}

void ended_tasks::read_ids(const std::stop_token& end) {
  std::optional<postgres::connection> session;
  while (!end.stop_requested()) {
    try {
      if (!session || !session->is_open())
        session = open_for_questions(owner_, partition_, "ids", owner_.limits, now_);
      if (read_page_of_ids(*session))
        continue;
    } catch (const store_error&) {
      std::unique_lock lock{mutex_};
      ids_wanted_.wait_for(lock, end, read_ids_again, [] { return false; });
      continue;
    }
    session.reset();
    std::unique_lock lock{mutex_};
    ids_wanted_.wait(lock, end, [this] { return !has_all_ids_ && ids_.room() <= id_bits::room_max; });
  }
}

/// False: that was the last one.
bool ended_tasks::read_page_of_ids(postgres::connection& c) {
  std::unique_lock lock{mutex_};
  const auto from = ids_until_.empty() ? std::string{} : ids_until_ + '\0';
  const auto begun = anew_;
  lock.unlock();
  const std::string end(key::size_max, '\xff');
  const auto found = c.read({postgres::statement_of_keys(partition_, table_of(&tables::ids), from, end, ids_in_page)});
  lock.lock();
  if (begun != anew_)
    return true;
  for (std::size_t i = 0; i < found[0].size(); ++i) {
    ids_until_ = found[0].text(i, 0);
    if (!ids_.add(ids_until_)) {
      know_more_ids();
      return ids_.room() <= id_bits::room_max;
    }
  }
  has_all_ids_ = found[0].size() < static_cast<std::size_t>(ids_in_page);
  return !has_all_ids_;
}

void ended_tasks::each_page(const std::function<void()>& before_first,
                            const std::function<void(std::vector<rows_of_task>)>& use) const {
  auto limits = owner_.limits;
  limits.answer = patience;
  auto session = open_for_questions(owner_, partition_, "copy", limits, now_);
  session.read({{"begin isolation level repeatable read read only", {}}, {"select 1", {}}});
  before_first();
  std::vector<std::int64_t> all_places;
  for (const auto& t : all_tables)
    all_places.push_back(table_of(t.table));
  auto before = std::numeric_limits<std::uint64_t>::max();
  for (bool more = true; more;) {
    const auto found =
      session.read({postgres::statement_of_newest(partition_, range_of_numbers(before), tasks_in_page, all_places)});
    auto tasks = grouped(postgres::marked_rows_in(found[0]));
    more = tasks.size() == static_cast<std::size_t>(tasks_in_page);
    if (!tasks.empty())
      before = tasks.back().number;
    use(std::move(tasks));
  }
  session.read({{"commit", {}}});
}

} // namespace steadfast::store
