#pragma once

#include "store/postgres/partition.hpp"
#include "tests/support/processes/run_program.hpp"
#include "tests/support/temp_folder.hpp"

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

struct pg_conn; ///< of libpq

namespace steadfast::tests {

/// Where a server is reached.
struct server_place {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;            ///< 0: a free one
  std::vector<std::string> run_by{}; ///< a command that runs another on the host of that address; empty: it is this one
  std::vector<std::string> environment{}; ///< in addition to ours
};

/// A server of PostgreSQL of its own, in a folder of its own, run by an unprivileged user.
/// It knows the roles `postgres`, a superuser, and `app`, which owns the schema `steadfast` and nothing else. Gone,
/// with all of its processes, at the end.
class postgres_server {
public:
  /// Why none can be started on this machine; empty: one can.
  static std::string why_not();

  /// A new one, which runs. `settings`: lines of its configuration.
  explicit postgres_server(const std::string& settings = "", server_place at = {});
  /// A standby of the other, which must run, under that name.
  postgres_server(const postgres_server& primary, const std::string& name, server_place at = {});
  ~postgres_server();
  postgres_server(const postgres_server&) = delete;
  postgres_server& operator=(const postgres_server&) = delete;

  std::uint16_t port() const { return at_.port; }
  std::string host_and_port() const { return at_.address + ":" + std::to_string(at_.port); }
  std::string url(const std::string& role = "app") const;

  /// As a superuser, each a transaction. The first value of the last, as text. Throws std::runtime_error.
  std::string sql(const std::vector<std::string>& commands) const;
  /// Changes a setting, and waits until it holds.
  void set(const std::string& name, const std::string& value) const;

  /// From now on; others still need none.
  void ask_for_passwords_of(const std::string& role) const;
  /// From now on, for those who want it, under a certificate for that host by an authority of its own, whose file is
  /// returned.
  std::string encrypt_as(const std::string& host) const;

  void start(); ///< again, on the same port
  void kill();  ///< with SIGKILL, all of its processes; returns when they are gone
  void signal_all(int number) const;
  void promote() const;

private:
  void begin();
  void make_data();
  std::vector<pid_t> processes() const;
  program_end as_server_user(const std::string& command) const;

  temp_folder folder_;
  server_place at_;
  std::unique_ptr<running_program> running_;
};

// For those who run servers in another way: where the newest release that is installed has its programs; what runs the
// command that follows as the user of servers, in a shell; and making a folder that user's.
std::filesystem::path server_programs();
std::string become_server_user();
void give_to_server_user(const std::filesystem::path& folder);

/// Each a transaction, by that URL. The first value of the last, as text. Throws std::runtime_error.
std::string sql_at(const std::string& url, const std::vector<std::string>& commands);

/// What a superuser said in a transaction and forgot, until its end. Throws std::runtime_error.
class forgotten_transaction {
public:
  forgotten_transaction(const postgres_server& server, const std::vector<std::string>& commands);

private:
  std::unique_ptr<pg_conn, void (*)(pg_conn*)> session_;
};

/// The same with several servers behind one URL.
std::string url_of(const std::vector<const postgres_server*>& servers);

/// A standby of that kind (sync, async) is connected.
bool has_standby(const postgres_server& primary, const std::string& kind);

/// Makes a store there. Its identity is "store of the test".
void make_store(const std::string& url, std::int64_t partitions = 2);

store::postgres::owner_settings owner(const std::string& url, const std::string& holder);

/// Who holds the partition now.
store::postgres::holding seen(const std::string& url, std::int64_t number = 0);

/// One that owns it. Throws std::runtime_error if it cannot be taken.
std::unique_ptr<store::postgres::partition> owned(const store::postgres::owner_settings& settings,
                                                  std::int64_t number = 0);

/// What a commit of these tests says: a number and a word.
inline std::string one(std::int64_t number, const std::string& word) {
  return std::to_string(number) + " " + word;
}
/// The numbers that the log has, in order.
std::vector<std::int64_t> numbers_in(store::postgres::partition& p);

/// Until it is known.
store::postgres::resolve_answer resolve_surely(store::postgres::partition& p);

} // namespace steadfast::tests
