#include "store/postgres/partition.hpp"

#include "store/contract/state_store.hpp"
#include "store/postgres/schema.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>
#include <utility>

namespace steadfast::store::postgres {
namespace {

/// set_config and not `set local`, which warns outside of `begin`, and a warning stands for an unknown outcome.
statement lock_limit(std::chrono::milliseconds limit) {
  return {"select set_config('lock_timeout', $1, true)", {text(std::to_string(limit.count()) + "ms")}};
}

struct found_commits {
  shown_partition shown;
  std::array<std::int64_t, 2> logs{}; ///< the last one in each
};

std::optional<found_commits> last_commits(connection& c, std::int64_t partition) {
  const auto last = [partition](int which) {
    return "(select coalesce(max(commit_number), 0) from " + log_table(partition, which) + ")";
  };
  const auto found =
    c.read({{"select epoch, holder, " + last(0) + ", " + last(1) + " from partition_owner where number = $1",
             {number(partition)}}});
  if (found[0].size() != 1)
    return std::nullopt;
  const std::array logs{found[0].number(0, 2), found[0].number(0, 3)};
  return found_commits{{found[0].number(0, 0), found[0].text(0, 1), std::max(logs[0], logs[1])}, logs};
}

void require(bool holds, const char* what) {
  if (!holds)
    throw std::logic_error{what};
}

} // namespace

std::vector<holding> who_holds_what(connection& c) {
  const auto found = c.read({{"select number, epoch, holder from partition_owner order by number", {}}});
  std::vector<holding> all;
  for (std::size_t i = 0; i < found[0].size(); ++i)
    all.push_back({found[0].number(i, 0), found[0].number(i, 1), found[0].text(i, 2)});
  return all;
}

std::optional<shown_partition> look_at(connection& c, std::int64_t number) {
  const auto found = last_commits(c, number);
  return found ? std::optional{found->shown} : std::nullopt;
}

namespace {

/// Nothing: the server has no such store; what is wrong with it is told by who uses it.
std::optional<seen_partition> see(connection& c, const std::string& schema, std::int64_t number) {
  const auto found = find_store(c, schema);
  auto shown = found.card ? look_at(c, number) : std::nullopt;
  return shown ? std::optional{seen_partition{c.server(), found.card->identity, *std::move(shown)}} : std::nullopt;
}

} // namespace

std::string why_lost(connection& c, const std::string& schema, std::int64_t number, const known_of_store& known) {
  const auto seen = see(c, schema, number);
  return seen ? lost_by_server(seen->shown, known(seen->identity)) : std::string{};
}

std::vector<seen_partition> look_at_servers(const place& where, std::int64_t number, const std::string& name,
                                            const session_limits& limits, const monotonic_clock& now) {
  std::vector<seen_partition> all;
  const auto note = [&](connection& c) {
    if (auto seen = see(c, where.schema, number))
      all.push_back(*std::move(seen));
    return std::string{"it was only looked at"};
  };
  try {
    connection::open(where, name, limits, now, {}, note);
  } catch (const store_error&) { // as none is taken
  }
  std::stable_sort(all.begin(), all.end(), [](const seen_partition& a, const seen_partition& b) {
    return std::pair{a.shown.epoch, a.shown.commit} > std::pair{b.shown.epoch, b.shown.commit};
  });
  return all;
}

std::vector<std::string> problems(const owner_settings& s) {
  auto found = problems(s.where);
  for (auto& p : problems(s.limits))
    found.push_back(std::move(p));
  if (s.holder.empty() || s.identity.empty())
    found.emplace_back("an owner and its store have names");
  if (s.take_lock_limit <= std::chrono::milliseconds::zero()
      || s.rotate_lock_limit <= std::chrono::milliseconds::zero())
    found.emplace_back("the limits of waiting for locks must be above zero");
  if (s.take_lock_limit >= s.limits.answer || s.rotate_lock_limit >= s.limits.answer)
    found.emplace_back("the limits of waiting for locks must be below the limit for an answer");
  return found;
}

statement fence_of(std::int64_t number, std::int64_t epoch, const std::string& holder) {
  return {"select 1 / count(*) from (select 1 from partition_owner where number = $1 and epoch = $2 and holder = $3"
          " for share) f",
          {postgres::number(number), postgres::number(epoch), text(holder)}};
}

std::string why_too_large(std::string_view changes) {
  if (changes.size() <= append_bytes_max)
    return {};
  return std::to_string(changes.size()) + " bytes are more than the " + std::to_string(append_bytes_max)
         + " of one commit";
}

std::string session_name(const std::string& schema, std::int64_t number) {
  return "steadfast " + schema + " partition " + std::to_string(number);
}

namespace {

/// Of the first it is as it was when there was only one.
std::string unless_first(std::int64_t number) {
  return number == 0 ? std::string{} : " partition " + std::to_string(number);
}

constexpr const char* waits_for = "steadfast waits for ";
constexpr const char* is_ready_for = "steadfast is ready for ";

/// What the names of those who have some begin with. It is short: the server cuts off what is more than 63 bytes.
std::string before_count(const std::string& does, const std::string& schema, std::int64_t number) {
  return does + schema + " " + std::to_string(number) + " has ";
}

std::string name_of(const std::string& does, const std::string& schema, std::int64_t number, std::uint32_t has) {
  return has == 0 ? does + schema + unless_first(number) : before_count(does, schema, number) + std::to_string(has);
}

} // namespace

std::string name_of_waiting(const std::string& schema, std::int64_t number, std::uint32_t has) {
  return name_of(waits_for, schema, number, has);
}

std::string name_of_last(const std::string& schema, std::int64_t number, std::uint32_t has) {
  return name_of("steadfast looks at ", schema, number, has);
}

std::string name_of_ready(const std::string& schema, std::int64_t number, std::uint32_t has) {
  return name_of(is_ready_for, schema, number, has);
}

std::string name_of_leaving(const std::string& schema, std::int64_t number) {
  return "steadfast leaves " + schema + unless_first(number);
}

std::int64_t count_sessions(connection& c, const std::string& name) {
  // the server cuts a long name off as it does one of the type
  const auto found = c.read({{"select count(*) from pg_catalog.pg_stat_activity where application_name = $1::name::text"
                              " and usename = current_user and datname = current_database()",
                              {text(name)}}});
  return found[0].number(0, 0);
}

namespace {

std::uint32_t count_in(const std::string& name, const std::string& prefix) {
  std::uint32_t has = 0;
  if (name.starts_with(prefix))
    std::from_chars(name.data() + prefix.size(), name.data() + name.size(), has);
  return has;
}

/// Of the sessions of those who do any of that, except this one.
std::vector<std::uint32_t> counts_told(connection& c, const std::vector<std::string>& does, const std::string& schema,
                                       std::int64_t number) {
  std::vector<statement> questions; // the server answers all of them as of one moment
  for (const auto& d : does)
    questions.push_back({"select application_name from pg_catalog.pg_stat_activity where usename = current_user"
                         " and datname = current_database() and pid <> pg_catalog.pg_backend_pid()"
                         " and (application_name = $1::name::text or left(application_name, length($2)) = $2)",
                         {text(name_of(d, schema, number, 0)), text(before_count(d, schema, number))}});
  const auto found = c.read(questions);
  std::vector<std::uint32_t> all;
  for (std::size_t d = 0; d < found.size(); ++d)
    for (std::size_t i = 0; i < found[d].size(); ++i)
      all.push_back(count_in(found[d].text(i, 0), before_count(does[d], schema, number)));
  std::sort(all.begin(), all.end());
  return all;
}

} // namespace

std::vector<std::uint32_t> waiting(connection& c, const std::string& schema, std::int64_t number) {
  return counts_told(c, {waits_for, is_ready_for}, schema, number);
}

std::vector<std::uint32_t> ready(connection& c, const std::string& schema, std::int64_t number) {
  return counts_told(c, {is_ready_for}, schema, number);
}

connection open_where_known(const owner_settings& s, std::int64_t number, const std::string& name,
                            const session_limits& limits, const monotonic_clock& now) {
  if (!s.known)
    return connection::open(s.where, name, limits, now);
  return connection::open(s.where, name, limits, now, s.known->server(), [&](connection& c) {
    return why_lost(c, s.where.schema, number, [&](const std::string& identity) { return s.known->of(identity); });
  });
}

partition::partition(std::int64_t number, owner_settings settings, monotonic_clock now)
    : number_{number},
      settings_{std::move(settings)},
      now_{std::move(now)} {
  const auto wrong = problems(settings_);
  require(wrong.empty(), wrong.empty() ? "" : wrong.front().c_str());
}

take_answer partition::connect() {
  if (connection_ && connection_->is_open())
    return {taking::taken, {}};
  std::string lost;
  try {
    const auto& schema = settings_.where.schema;
    const auto& from = last_server_.empty() && settings_.known ? settings_.known->server() : last_server_;
    connection_ = connection::open(settings_.where, session_name(schema, number_), settings_.limits, now_, from,
                                   [&](connection& c) {
                                     return lost = why_lost(c, schema, number_, [this](const std::string& identity) {
                                              return identity == settings_.identity ? all_known() : acknowledged{};
                                            });
                                   });
    last_server_ = connection_->server();
    const auto found = find_store(*connection_, schema);
    auto wrong = why_not_usable(found, schema);
    if (wrong.empty() && found.card->identity != settings_.identity)
      wrong = "the server has another store in the schema " + schema + ": " + found.card->identity + ", and not "
              + settings_.identity + ". Nothing is written to it: give the URL of the right server";
    if (wrong.empty())
      return {taking::taken, {}};
    connection_.reset();
    return {taking::server_lost, std::move(wrong)};
  } catch (const store_error& e) {
    connection_.reset();
    if (!lost.empty())
      return {taking::server_lost, lost};
    return {taking::unreachable, e.what()};
  }
}

acknowledged partition::all_known() const {
  const auto heard = settings_.known ? settings_.known->of(settings_.identity) : acknowledged{};
  return {std::max(known_.epoch, heard.epoch), std::max(known_.commit, heard.commit)};
}

void partition::note_known() {
  if (settings_.known)
    settings_.known->raise(settings_.identity, known_, last_server_);
}

/// No commit of the next owner is in it without his name.
std::optional<shown_partition> partition::look() {
  const auto found = last_commits(*connection_, number_);
  if (!found)
    return std::nullopt;
  log_ = found->logs[1] > found->logs[0] ? 1 : 0;
  return found->shown;
}

/// A holder that died in the middle of sending keeps its lock for as long as the server waits for the rest; no limit of
/// the server ends that in a pipeline. To end such a session is no cancel of a commit: it waits for its client, not for
/// a standby; and should the rest arrive just then, the taking, which is committed behind it, waits for the same
/// standby before anything is read.
void partition::end_stalled_sessions() {
  connection_->run({{"select pg_catalog.pg_terminate_backend(pid) from pg_catalog.pg_stat_activity"
                     " where application_name = $1 and usename = current_user and datname = current_database()"
                     " and pid <> pg_catalog.pg_backend_pid() and wait_event = 'ClientRead' and xact_start is not null",
                     {text(session_name(settings_.where.schema, number_))}}});
}

take_answer partition::raise_epoch(std::int64_t from) {
  const auto r = connection_->run({lock_limit(settings_.take_lock_limit),
                                   {"update partition_owner set epoch = epoch + 1, holder = $3"
                                    " where number = $1 and epoch = $2 returning epoch",
                                    {postgres::number(number_), postgres::number(from), text(settings_.holder)}}});
  auto answer = what_was_taken(end_of(r), r, r.results.size() == 2 ? r.results[1].size() : 0);
  if (answer.result == taking::busy)
    end_stalled_sessions();
  else if (answer.result == taking::taken)
    known_.epoch = r.results[1].number(0, 0);
  return answer;
}

partition::taken partition::take_if(const take_rule& may, taking if_faster, std::int64_t last_known) {
  try {
    auto answer = connect();
    if (answer.result != taking::taken)
      return {answer};
    const auto before = look();
    if (!before)
      return {{taking::server_lost, "the store has no partition " + std::to_string(number_)}};
    answer = may(*before);
    if (answer.result != taking::taken)
      return {answer};
    answer = raise_epoch(before->epoch);
    if (answer.result == taking::moved)
      return {{if_faster, answer.why}};
    if (answer.result != taking::taken)
      return {answer};
    const auto after = look().value_or(shown_partition{}); // now every standby that is waited for has it
    return {is_still_taken(after, settings_.holder, {known_.epoch, last_known}), after.commit};
  } catch (const store_error& e) {
    return {{taking::unreachable, e.what()}};
  }
}

take_answer partition::take(const holding& seen, const acknowledged& heard) {
  require(state_ == state::free, "only who does not own a partition takes it");
  const auto seen_here = all_known();
  const acknowledged known{std::max(seen_here.epoch, heard.epoch), std::max(seen_here.commit, heard.commit)};
  const auto before = now_();
  const auto [answer, last] = take_if([&](const shown_partition& shown) { return may_take(shown, seen.epoch, known); },
                                      taking::moved, known.commit);
  if (answer.result == taking::taken) {
    known_.commit = last;
    state_ = state::owned;
    last_sign_ = before;
    note_known();
  }
  return answer;
}

resolve_answer partition::resolve() {
  require(state_ != state::free, "only an owner can be in doubt");
  if (state_ == state::server_lost)
    return {resolving::server_lost, "the server has lost commits"};
  state_ = state::in_doubt; // of its epoch, from here on
  const auto before = now_();
  const auto [answer, last] =
    take_if([&](const shown_partition& shown) { return may_take_again(shown, settings_.holder, known_); },
            taking::busy, // perhaps it was a taking of our own that arrived late
            known_.commit);
  auto found = answer.result == taking::taken ? what_became_of_it(last, in_doubt_, known_) : of_taking(answer);
  switch (found.result) {
    case resolving::lost: leave(state::free); break;
    case resolving::server_lost: leave(state::server_lost); break;
    case resolving::busy:
    case resolving::unreachable: break;
    case resolving::made:
    case resolving::not_made:
      known_.commit = last;
      in_doubt_ = 0;
      state_ = state::owned;
      last_sign_ = before;
  }
  return found;
}

bool partition::is_surely_owned(std::chrono::milliseconds lease) const {
  const auto at = last_sign_.load();
  return at != never && now_() - at < lease;
}

void partition::leave(state s) {
  state_ = s;
  in_doubt_ = s == state::in_doubt ? in_doubt_ : 0;
  under_way_.clear();
  if (s != state::in_doubt)
    last_sign_ = never;
  connection_.reset();
}

void partition::send(std::vector<statement> statements) {
  require(state_ == state::owned && connection_, "only an owner without a doubt writes");
  statements.insert(statements.begin(), fence());
  const auto sent = now_();
  connection_->send(statements);
  under_way_.push_back(sent);
}

append_answer partition::end_append() {
  require(!under_way_.empty(), "no commit is under way");
  auto answer = what_was_appended(connection_->receive());
  const auto open = static_cast<std::int64_t>(under_way_.size());
  const auto sent = under_way_.front();
  under_way_.pop_front();
  switch (answer.result) {
    case appending::applied:
      ++known_.commit;
      last_sign_ = sent;
      note_known();
      break;
    case appending::lost: leave(state::free); break;
    case appending::unknown:
      in_doubt_ = open;
      leave(state::in_doubt);
      break;
    case appending::not_made: break;
  }
  return answer;
}

append_answer partition::commit(std::vector<statement> statements) {
  require(under_way_.empty(), "another commit is under way");
  send(std::move(statements));
  return end_append();
}

append_answer partition::append(std::string_view changes) {
  require(under_way_.empty(), "another commit is under way");
  if (auto why = why_too_large(changes); !why.empty())
    return {appending::not_made, std::move(why), false};
  begin_append(changes);
  return end_append();
}

void partition::begin_append(std::string_view changes) {
  const auto n = known_.commit + static_cast<std::int64_t>(under_way_.size()) + 1;
  std::vector<statement> all;
  if (!under_way_.empty()) // fails unless the one before was made
    all.push_back({"select 1 / count(*) from " + log_table(number_, log_) + " where commit_number = $1",
                   {postgres::number(n - 1)}});
  all.push_back({"insert into " + log_table(number_, log_) + " (commit_number, changes) values ($1, $2)",
                 {postgres::number(n), blob(changes)}});
  send(std::move(all));
}

append_answer partition::rotate() {
  const int next = 1 - log_;
  auto answer = commit({lock_limit(settings_.rotate_lock_limit),
                        {"truncate " + log_table(number_, next), {}},
                        {"insert into " + log_table(number_, next) + " (commit_number, changes) values ($1, '')",
                         {postgres::number(known_.commit + 1)}}});
  if (answer.result == appending::applied)
    log_ = next;
  return answer;
}

std::vector<rows> partition::read_as_owner(std::vector<statement> statements, const char* what) {
  require(state_ == state::owned && connection_ && under_way_.empty(),
          "only an owner reads, and does nothing else meanwhile");
  statements.insert(statements.begin(), fence()); // nobody takes it before all is read
  auto r = connection_->run(statements);
  const auto answer = what_was_appended(r);
  if (answer.result == appending::lost)
    leave(state::free);
  if (answer.result == appending::unknown) // the connection is gone, and resolve() makes another
    leave(state::in_doubt);
  if (answer.result != appending::applied)
    throw store_error{
      std::string{what} + " of partition " + std::to_string(number_) + " could not be read: " + answer.why, false};
  r.results.erase(r.results.begin());
  return std::move(r.results);
}

std::vector<rows> partition::read(std::vector<statement> statements, const char* what) {
  if (state_ != state::free)
    return read_as_owner(std::move(statements), what);
  require(connection_.has_value(), "there is no session to read by");
  return connection_->read(statements);
}

std::vector<log_record> partition::read_log_by(const reading& read, std::int64_t after) const {
  const auto of = [&](int which) {
    return statement{"select commit_number, changes from " + log_table(number_, which)
                       + " where commit_number > $1 and changes <> ''",
                     {postgres::number(after)}};
  };
  std::vector<log_record> all;
  for (const auto& found : read({of(0), of(1)}))
    for (std::size_t i = 0; i < found.size(); ++i)
      all.push_back({found.number(i, 0), found.text(i, 1)});
  std::sort(all.begin(), all.end(), [](const log_record& a, const log_record& b) { return a.commit < b.commit; });
  return all;
}

std::int64_t partition::read_rows_by(const reading& read, const row_user& use) const {
  std::int64_t until = 0;
  row_place from;
  for (bool more = true; more;) {
    const auto found = read({statement_of_until(number_), statement_of_page(number_, from)});
    until = found[0].size() == 1 ? found[0].number(0, 0) : 0;
    more = use_page(found[1], from, use);
  }
  return until;
}

std::vector<log_record> partition::read_log(std::int64_t after) {
  return read_log_by([this](auto all) { return read_as_owner(std::move(all), "the log"); }, after);
}

std::int64_t partition::read_rows(const row_user& use) {
  return read_rows_by([this](auto all) { return read_as_owner(std::move(all), "the rows"); }, use);
}

std::int64_t partition::read_until() {
  const auto found = read_as_owner({statement_of_until(number_)}, "what the rows are of");
  return found[0].size() == 1 ? found[0].number(0, 0) : 0;
}

read_ahead partition::read_rows_ahead(const row_user& use) {
  require(state_ == state::free, "only who does not own a partition reads ahead");
  if (const auto c = connect(); c.result != taking::taken)
    throw store_error{c.why, false};
  const auto before = look().value_or(shown_partition{});
  std::optional<std::int64_t> first;
  const auto until = read_rows_by(
    [&](const auto& all) {
      auto found = connection_->read(all);
      const auto now = found[0].size() == 1 ? found[0].number(0, 0) : 0;
      if (first.value_or(now) != now)
        throw store_error{"the rows were brought up to date meanwhile", false};
      first = now;
      return found;
    },
    use);
  return {before.epoch, until, until};
}

std::vector<log_record> partition::read_log_ahead(read_ahead& after) {
  auto all = read_log_by([this](const auto& s) { return connection_->read(s); }, after.commit);
  if (!all.empty())
    after.commit = all.back().commit;
  return all;
}

append_answer partition::move_away(const std::string& where) {
  auto answer = commit({{"delete from partition_owner where number = $1", {postgres::number(number_)}},
                        {"update store set product = $1", {text(product_moved_to(where))}}});
  if (answer.result == appending::applied)
    leave(state::free);
  return answer;
}

void partition::release() {
  last_sign_ = never; // it may be taken as soon as the server knows
  if (state_ == state::owned)
    connection_->run({{"update partition_owner set holder = '' where number = $1 and epoch = $2 and holder = $3",
                       {postgres::number(number_), postgres::number(known_.epoch), text(settings_.holder)}}});
  leave(state::free);
}

} // namespace steadfast::store::postgres
