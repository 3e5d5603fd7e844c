#include "store/postgres/connection.hpp"

#include "store/contract/state_store.hpp"
#include "store/postgres/libpq.hpp"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace steadfast::store::postgres {

using std::chrono::milliseconds;

struct connection::session {
  pg_conn* conn = nullptr;
  monotonic_clock now;
  session_limits limits;
  std::vector<std::string> secrets;
  std::string warning; ///< the last since it was emptied

  ~session() {
    if (conn != nullptr)
      libpq().finish(conn); // this is no cancel: a statement under way goes on
  }

  /// libpq's text has several lines, of which some begin with a tabulator.
  std::string hidden(const char* said) const {
    std::string line = said == nullptr ? "" : said;
    while (!line.empty() && line.back() == '\n')
      line.pop_back();
    std::replace(line.begin(), line.end(), '\n', ' ');
    std::erase(line, '\t');
    return without_secrets(std::move(line), {secrets.begin(), secrets.end()});
  }

  std::string trouble() const { return hidden(libpq().errorMessage(conn)); }

  /// Until there is something to read, or room to write. False: the moment came first.
  bool wait(bool to_read, bool to_write, std::chrono::steady_clock::time_point until) const {
    const auto events = static_cast<short>((to_read ? POLLIN : 0) | (to_write ? POLLOUT : 0));
    for (;;) {
      const auto left = std::chrono::ceil<milliseconds>(until - now()).count();
      if (left <= 0)
        return false;
      pollfd socket{libpq().socket(conn), events, 0};
      const int ready = poll(&socket, 1, static_cast<int>(left));
      if (ready > 0 || (ready < 0 && errno != EINTR))
        return true; // whoever reads next is told what is wrong
    }
  }
};

void connection::closer::operator()(session* s) const {
  delete s;
}

namespace {

void take_notice(void* to, const PGresult* notice) {
  const char* said = libpq().resultErrorField(notice, PG_DIAG_MESSAGE_PRIMARY);
  *static_cast<std::string*>(to) = said == nullptr || *said == '\0' ? "a warning without words" : said;
}

pg_conn* begin_connecting(const connection_options& options) {
  std::vector<const char*> names;
  std::vector<const char*> values;
  for (const auto& [name, value] : options) {
    names.push_back(name.c_str());
    values.push_back(value.c_str());
  }
  names.push_back(nullptr);
  values.push_back(nullptr);
  return libpq().connectStartParams(names.data(), values.data(), 0);
}

refusal refusal_of(const PGresult* r, std::size_t statement, std::string said) {
  const char* code = libpq().resultErrorField(r, PG_DIAG_SQLSTATE);
  return {code == nullptr ? "" : code, std::move(said), statement};
}

bool send(pg_conn* conn, const statement& s) {
  std::vector<Oid> types;
  std::vector<const char*> values;
  std::vector<int> lengths;
  for (const auto& p : s.parameters) {
    types.push_back(p.type);
    values.push_back(p.bytes.data());
    lengths.push_back(static_cast<int>(p.bytes.size()));
  }
  const std::vector<int> binary(s.parameters.size(), 1);
  return libpq().sendQueryParams(conn, s.sql.c_str(), static_cast<int>(types.size()), types.data(), values.data(),
                                 lengths.data(), binary.data(), 1)
         == 1;
}

std::string trouble_of(connection& c, const connection::refusal& why_not) {
  try {
    return why_not ? why_not(c) : std::string{};
  } catch (const store_error& e) {
    return e.what();
  }
}

} // namespace

connection::connection(std::unique_ptr<session, closer> s, std::string server)
    : session_{std::move(s)},
      server_{std::move(server)} {}

std::vector<std::string> problems(const session_limits& l) {
  std::vector<std::string> found;
  if (l.connect <= milliseconds::zero())
    found.emplace_back("the limit for a connection must be above zero");
  if (l.answer <= milliseconds::zero())
    found.emplace_back("the limit for an answer must be above zero");
  return found;
}

std::vector<statement> session_settings(const std::string& schema) {
  std::vector<statement> all;
  for (const auto* setting : {
         "synchronous_commit = on",       // whatever somebody set for the role
         "client_min_messages = warning", // anything sent besides answers is then a warning
         "default_transaction_isolation = 'read committed'",
         "statement_timeout = 0", // it does not end the wait for a standby, and we have a limit
         "idle_in_transaction_session_timeout = '10s'",
         "tcp_keepalives_idle = 5",
         "tcp_keepalives_interval = 2",
         "tcp_keepalives_count = 3",
       })
    all.push_back({std::string{"set "} + setting, {}});
  all.push_back({"set search_path = " + schema + ", pg_temp", {}});
  return all;
}

connection connection::open(const place& where, const std::string& name, const session_limits& limits,
                            const monotonic_clock& now, const std::string& first, const refusal& why_not) {
  std::string failed;
  for (auto server : with_first(servers_of(where), first)) {
    const auto named = name_of(server);
    server["application_name"] = name;
    std::unique_ptr<session, closer> s{new session};
    s->now = now;
    s->limits = limits;
    s->secrets = {where.password, server["password"], server["sslpassword"]};
    std::erase_if(server, [](const auto& o) { return o.second.empty(); }); // libpq then looks into the environment
    const auto until = now() + limits.connect;
    s->conn = begin_connecting(with_ours(std::move(server), limits.answer));
    libpq().setNoticeReceiver(s->conn, take_notice, &s->warning);
    if (const char* password = libpq().pass(s->conn); password != nullptr)
      s->secrets.emplace_back(password);
    std::string trouble;
    for (auto state = PGRES_POLLING_WRITING; state != PGRES_POLLING_OK && trouble.empty();
         state = libpq().connectPoll(s->conn))
      if (libpq().status(s->conn) == CONNECTION_BAD || state == PGRES_POLLING_FAILED)
        trouble = s->trouble().empty() ? "the connection failed" : s->trouble();
      else if (!s->wait(state == PGRES_POLLING_READING, state == PGRES_POLLING_WRITING, until))
        trouble = "no connection within " + std::to_string(limits.connect.count()) + " ms";
    if (trouble.empty()) {
      libpq().setnonblocking(s->conn, 1);
      libpq().enterPipelineMode(s->conn);
      connection made{std::move(s), named};
      const auto set = made.run(session_settings(where.schema));
      trouble = end_of(set) == transaction_end::made ? trouble_of(made, why_not) : why(set);
      if (trouble.empty())
        return made;
    }
    failed.append(failed.empty() ? "" : "; ").append(named).append(": ").append(trouble);
  }
  throw store_error{"no PostgreSQL server that takes writes can be reached: " + failed, false};
}

void connection::give_up(std::string why) {
  why_given_up_ = std::move(why);
  session_.reset();
}

void connection::send(const std::vector<statement>& all) {
  if (!session_) {
    why_given_up_ = "the connection to " + server_ + " was given up before";
    return sent_.push_back({all.size(), {}});
  }
  auto& s = *session_;
  const auto until = s.now() + s.limits.answer;
  sent_.push_back({all.size(), until});
  bool is_sent = true;
  for (const auto& one : all)
    is_sent = is_sent && steadfast::store::postgres::send(s.conn, one);
  is_sent = is_sent && libpq().pipelineSync(s.conn) == 1;
  for (int unsent = 1; is_sent && unsent > 0;) { // it may not take more before somebody reads its answers
    unsent = libpq().flush(s.conn);
    is_sent = unsent == 0 || (unsent > 0 && s.wait(true, true, until) && libpq().consumeInput(s.conn) == 1);
  }
  if (!is_sent)
    give_up("it could not be sent to " + server_ + ": " + s.trouble());
}

reply connection::receive() {
  const auto sent = sent_.front();
  sent_.pop_front();
  reply r;
  r.statements = sent.statements;
  if (!session_) {
    r.broken = why_given_up_;
    return r;
  }
  auto& s = *session_;
  auto* conn = s.conn;
  s.warning.clear();
  for (std::size_t at = 0; r.broken.empty() && !r.is_complete;) {
    if (libpq().status(conn) == CONNECTION_BAD) {
      r.broken = "the connection to " + server_ + " was lost: " + s.trouble();
    } else if (libpq().isBusy(conn) != 0) {
      if (!s.wait(true, false, sent.until))
        r.broken = "no answer from " + server_ + " within " + std::to_string(s.limits.answer.count()) + " ms";
      else if (libpq().consumeInput(conn) != 1)
        r.broken = "the connection to " + server_ + " was lost: " + s.trouble();
    } else if (auto* result = libpq().getResult(conn); result == nullptr) {
      if (++at > sent.statements) // it was the end of the last one, and the end of all must follow
        r.broken = "the answers of " + server_ + " do not end";
    } else {
      const auto status = libpq().resultStatus(result);
      r.is_complete = status == PGRES_PIPELINE_SYNC;
      if (status == PGRES_FATAL_ERROR && !r.why_not)
        r.why_not = refusal_of(result, at, s.hidden(libpq().resultErrorField(result, PG_DIAG_MESSAGE_PRIMARY)));
      if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK)
        r.results.emplace_back(result);
      else
        libpq().clear(result);
    }
  }
  r.warning = s.hidden(s.warning.c_str());
  if (!r.broken.empty())
    give_up(r.broken);
  return r;
}

reply connection::run(const std::vector<statement>& all) {
  send(all);
  return receive();
}

std::vector<rows> connection::read(const std::vector<statement>& all) {
  auto r = run(all);
  if (r.why_not || !r.is_complete)
    throw store_error{"PostgreSQL at " + server_ + " could not be asked: " + why(r), false};
  return std::move(r.results);
}

} // namespace steadfast::store::postgres
