#include "tests/postgres/server.hpp"

#include "runtime/text/address.hpp"
#include "store/postgres/schema.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/fast_place.hpp"

#include <libpq-fe.h>
#include <pwd.h>
#include <sys/shm.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace steadfast::tests {
namespace {

namespace fs = std::filesystem;

/// The server refuses to run as root.
std::string server_user() {
  if (geteuid() != 0)
    return {};
  return getpwnam("postgres") == nullptr ? "nobody" : "postgres";
}

using session = std::unique_ptr<PGconn, decltype(&PQfinish)>;

std::string value_of(PGconn* c, const std::string& command) {
  const std::unique_ptr<PGresult, decltype(&PQclear)> r{PQexec(c, command.c_str()), PQclear};
  const auto status = PQresultStatus(r.get());
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
    throw std::runtime_error{command + ": " + PQerrorMessage(c)};
  return PQntuples(r.get()) > 0 ? PQgetvalue(r.get(), 0, 0) : "";
}

} // namespace

fs::path server_programs() {
  fs::path newest;
  std::error_code none;
  for (const auto& release : fs::directory_iterator{"/usr/lib/postgresql", none})
    if (const auto bin = release.path() / "bin"; fs::exists(bin / "initdb") && fs::exists(bin / "postgres"))
      newest = std::max(newest, bin);
  return newest;
}

std::string become_server_user() {
  const auto user = server_user();
  return user.empty() ? std::string{} : "setpriv --reuid=" + user + " --regid=$(id -g " + user + ") --clear-groups ";
}

void give_to_server_user(const fs::path& folder) {
  if (const auto user = server_user(); !user.empty()) {
    const auto* entry = getpwnam(user.c_str());
    if (entry == nullptr || chown(folder.c_str(), entry->pw_uid, entry->pw_gid) != 0)
      throw std::runtime_error{"the folder cannot be given to " + user};
  }
}

std::string sql_at(const std::string& url, const std::vector<std::string>& commands) {
  const session c{PQconnectdb(url.c_str()), PQfinish};
  if (PQstatus(c.get()) != CONNECTION_OK)
    throw std::runtime_error{PQerrorMessage(c.get())};
  std::string last;
  for (const auto& command : commands)
    last = value_of(c.get(), command);
  return last;
}

std::string postgres_server::why_not() {
  if (server_programs().empty())
    return "PostgreSQL's server is not installed: install postgresql-15, or run scripts/packages";
  return {};
}

postgres_server::postgres_server(const std::string& settings, server_place at)
    : folder_{fast_place()},
      at_{std::move(at)} {
  begin();
  make_data();
  std::ofstream{folder_.path() / "data" / "postgresql.conf", std::ios::app}
    << "port = " << at_.port << "\nlisten_addresses = '" << at_.address
    << "'\nunix_socket_directories = ''\nshared_buffers = 16MB\n"
    << "dynamic_shared_memory_type = mmap\n" // else a killed server leaves files behind
    << "max_connections = 40\nmax_wal_size = 128MB\nwal_keep_size = 64MB\nlog_line_prefix = '%m [%p] %a '\n"
    << settings << '\n';
  std::ofstream{folder_.path() / "data" / "pg_hba.conf", std::ios::app}
    << "host all all samenet trust\nhost replication all samenet trust\n";
  start();
  sql({"create role app login", "create schema steadfast authorization app"});
}

/// initdb takes most of the time of a test, so the first one of a build keeps what it made for the others.
void postgres_server::make_data() {
  const auto data = (folder_.path() / "data").string();
  const auto copy = [](const std::string& from, const std::string& to) {
    return run_program("/bin/cp", {"-a", from, to}).code == 0;
  };
  const auto name = server_programs().parent_path().filename().string() + "-" + std::to_string(getuid());
  const auto kept = (fs::path{STEADFAST_POSTGRES_KEPT} / name).string();
  if (fs::exists(kept) && copy(kept, data))
    return;
  const auto made = as_server_user((server_programs() / "initdb").string()
                                   + " -D data -A trust -U postgres --no-locale -E UTF8 --data-checksums --no-sync");
  if (made.code != 0)
    throw std::runtime_error{"initdb: " + made.err};
  std::error_code ignored; // another test may be faster, or the folder another user's
  fs::create_directories(STEADFAST_POSTGRES_KEPT, ignored);
  const auto mine = kept + "-" + std::to_string(getpid());
  if (copy(data, mine))
    fs::rename(mine, kept, ignored);
  fs::remove_all(mine, ignored);
}

postgres_server::postgres_server(const postgres_server& primary, const std::string& name, server_place at)
    : folder_{fast_place()},
      at_{std::move(at)} {
  begin();
  const auto from = "host=" + primary.at_.address + " user=postgres port=" + std::to_string(primary.port());
  const auto copied = as_server_user((server_programs() / "pg_basebackup").string()
                                     + " -D data -X stream -c fast --no-sync -d '" + from + "'");
  if (copied.code != 0)
    throw std::runtime_error{"pg_basebackup: " + copied.err};
  std::ofstream{folder_.path() / "data" / "standby.signal"};
  fs::permissions(folder_.path() / "data" / "standby.signal", fs::perms::all);
  std::ofstream{folder_.path() / "data" / "postgresql.conf", std::ios::app}
    << "port = " << at_.port << "\nlisten_addresses = '" << at_.address << "'\nprimary_conninfo = '" << from
    << " application_name=" << name << "'\n";
  start();
}

void postgres_server::begin() {
  give_to_server_user(folder_.path());
  if (at_.port == 0)
    at_.port = runtime::free_ports(1).front();
}

postgres_server::~postgres_server() {
  if (!running_)
    return;
  signal_all(SIGCONT);
  running_->signal(SIGQUIT); // it ends its processes
  running_->wait(hang_limit);
}

program_end postgres_server::as_server_user(const std::string& command) const {
  return run_program("/bin/bash",
                     {"-c", "cd " + folder_.path().string() + " && exec " + become_server_user() + command});
}

void postgres_server::start() {
  auto command = "cd " + folder_.path().string() + " && exec " + become_server_user() + "/usr/bin/env";
  for (const auto& variable : at_.environment)
    command += " '" + variable + "'";
  command += " " + (server_programs() / "postgres").string() + " -D data >>log 2>&1";
  auto words = at_.run_by;
  words.insert(words.end(), {"/bin/bash", "-c", command});
  running_ = std::make_unique<running_program>(words.front(), std::vector<std::string>{words.begin() + 1, words.end()});
  const auto answers = [&] { return PQping(url("postgres").c_str()) == PQPING_OK; };
  if (!comes_true([&] { return answers() || running_->wait(std::chrono::milliseconds{0}); }) || !answers()) {
    std::ifstream log{folder_.path() / "log"};
    std::stringstream said;
    said << log.rdbuf();
    throw std::runtime_error{"the server did not start: " + said.str()};
  }
}

std::vector<pid_t> postgres_server::processes() const {
  std::vector<pid_t> all{running_->pid()};
  for (const auto& entry : fs::directory_iterator{"/proc"}) {
    std::ifstream file{entry.path() / "stat"};
    std::string text;
    std::getline(file, text);
    pid_t parent = 0;
    char state = ' ';
    if (const auto name_end = text.rfind(')'); name_end != std::string::npos)
      std::istringstream{text.substr(name_end + 1)} >> state >> parent;
    if (parent == running_->pid() && state != 'Z')
      all.push_back(static_cast<pid_t>(std::stol(entry.path().filename().string())));
  }
  return all;
}

void postgres_server::signal_all(int number) const {
  for (const auto pid : processes())
    ::kill(pid, number);
}

void postgres_server::kill() {
  const auto all = processes();
  for (const auto pid : all) // the first is the one that would start others
    ::kill(pid, SIGKILL);
  running_->wait(hang_limit);
  running_.reset();
  const auto is_gone = [](pid_t pid) { return ::kill(pid, 0) != 0; };
  if (!comes_true([&] { return std::all_of(all.begin(), all.end(), is_gone); }))
    throw std::runtime_error{"the server's processes do not end"};
  std::ifstream file{folder_.path() / "data" / "postmaster.pid"};
  std::string line;
  int memory = -1;
  for (int i = 0; i < 7 && std::getline(file, line); ++i)
    if (i == 6)
      std::istringstream{line} >> memory >> memory; // its key, then its number
  if (memory >= 0)
    shmctl(memory, IPC_RMID, nullptr); // it would stay for ever if this server is not started again
}

std::string postgres_server::url(const std::string& role) const {
  return "postgresql://" + role + "@" + host_and_port() + "/postgres";
}

std::string postgres_server::sql(const std::vector<std::string>& commands) const {
  return sql_at(url("postgres"), commands);
}

void postgres_server::set(const std::string& name, const std::string& value) const {
  sql({"alter system set " + name + " = '" + value + "'", "select pg_reload_conf()"});
  if (!comes_true([&] { return sql({"show " + name}) == value; }))
    throw std::runtime_error{name + " does not change"};
  // Commits wait for standbys from when the checkpointer has read this setting, which is later than sessions show it.
  // The first checkpoint may have been begun before it read, the second one not.
  if (name == "synchronous_standby_names")
    sql({"checkpoint", "checkpoint"});
}

void postgres_server::ask_for_passwords_of(const std::string& role) const {
  const auto file = folder_.path() / "data" / "pg_hba.conf";
  std::stringstream before;
  before << std::ifstream{file}.rdbuf();
  std::ofstream{file} << "host all " << role << " 127.0.0.1/32 scram-sha-256\n" << before.str();
  sql({"select pg_reload_conf()"});
  const auto with_wrong = "postgresql://" + role + ":wrong@" + host_and_port() + "/postgres";
  if (!comes_true([&] {
        const session c{PQconnectdb(with_wrong.c_str()), PQfinish};
        return PQstatus(c.get()) != CONNECTION_OK;
      }))
    throw std::runtime_error{"the server does not ask for passwords"};
}

std::string postgres_server::encrypt_as(const std::string& host) const {
  const auto make = [&](const std::string& name, const std::string& more) {
    const auto made = as_server_user("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
                                     " -subj /CN="
                                     + name + " -keyout " + more);
    if (made.code != 0)
      throw std::runtime_error{"openssl: " + made.err};
  };
  make("authority", "authority.key -out authority.pem");
  make(host, "data/server.key -out data/server.crt -CA authority.pem -CAkey authority.key -addext subjectAltName=DNS:"
               + host);
  set("ssl", "on");
  return (folder_.path() / "authority.pem").string();
}

void postgres_server::promote() const {
  if (sql({"select pg_promote(true, 60)"}) != "t")
    throw std::runtime_error{"the standby was not promoted"};
}

forgotten_transaction::forgotten_transaction(const postgres_server& server, const std::vector<std::string>& commands)
    : session_{PQconnectdb(server.url("postgres").c_str()), PQfinish} {
  for (const auto& command : commands)
    value_of(session_.get(), command);
}

std::string url_of(const std::vector<const postgres_server*>& servers) {
  std::string hosts;
  for (const auto* s : servers)
    hosts += (hosts.empty() ? "" : ",") + s->host_and_port();
  return "postgresql://app@" + hosts + "/postgres";
}

using namespace store::postgres;

bool has_standby(const postgres_server& primary, const std::string& kind) {
  return primary.sql(
           {"select count(*) from pg_stat_replication where sync_state = '" + kind + "' and state = 'streaming'"})
         == "1";
}

void make_store(const std::string& url, std::int64_t partitions) {
  auto c = connection::open({url, {}}, "the test", {hang_limit / 2, hang_limit / 2}, std::chrono::steady_clock::now);
  const auto answer = make_store(c, "steadfast", "store of the test", partitions);
  if (answer.result != making::made)
    throw std::runtime_error{answer.why};
}

owner_settings owner(const std::string& url, const std::string& holder) {
  owner_settings s;
  s.where.url = url;
  s.identity = "store of the test";
  s.holder = holder;
  s.limits = {hang_limit / 2, hang_limit / 2}; // only what hangs takes so long
  return s;
}

holding seen(const std::string& url, std::int64_t number) {
  auto c = connection::open({url, {}}, "the test", {hang_limit / 2, hang_limit / 2}, std::chrono::steady_clock::now);
  return who_holds_what(c).at(static_cast<std::size_t>(number));
}

std::unique_ptr<partition> owned(const owner_settings& settings, std::int64_t number) {
  auto p = std::make_unique<partition>(number, settings, std::chrono::steady_clock::now);
  take_answer answer;
  if (!comes_true([&] { // its limits may be short
        answer = p->take(seen(settings.where.url, number));
        return answer.result != taking::busy && answer.result != taking::unreachable;
      })
      || answer.result != taking::taken)
    throw std::runtime_error{"it cannot be taken: " + answer.why};
  return p;
}

resolve_answer resolve_surely(partition& p) {
  resolve_answer answer;
  comes_true([&] {
    answer = p.resolve();
    return answer.result != resolving::unreachable && answer.result != resolving::busy;
  });
  return answer;
}

std::vector<std::int64_t> numbers_in(store::postgres::partition& p) {
  std::vector<std::int64_t> all;
  for (const auto& r : p.read_log())
    all.push_back(std::stoll(r.changes));
  return all;
}

} // namespace steadfast::tests
