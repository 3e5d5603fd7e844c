#include "tests/examples/services/running_service.hpp"

#include <catch2/catch.hpp>

#include <fstream>
#include <sstream>
#include <thread>

using namespace tests;
using namespace std::chrono_literals;
using strings = std::vector<std::string>;

namespace {

const json customer{{"customer", "alice"}};

std::string read_all(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream{file}.rdbuf();
  return text.str();
}

/// What a crash between the commit and the line, or within the line, leaves behind.
void cut_off(const std::filesystem::path& file, std::size_t bytes) {
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - bytes);
}

std::size_t last_line_size(const std::filesystem::path& file) {
  const auto text = read_all(file);
  return text.size() - text.rfind('\n', text.size() - 2) - 1;
}

} // namespace

TEST_CASE("after SIGKILL every effect is known and every line is there") {
  const temp_folder data;
  {
    running_service account{"account", data};
    CHECK(account.perform("t1/a", customer).status == 201);
    CHECK(account.undo("t2/a").status == 200);
    account.kill();
  }
  const running_service account{"account", data};
  CHECK(account.perform("t1/a", customer).status == 200);
  CHECK(account.perform("t2/a", customer).status == 409);
  CHECK(account.logged() == strings{"do created", "undo undo_of_nothing", "do repeated", "do refused"});
  CHECK(account.log_lines().back()["seq"] == 4);
}

TEST_CASE("a line that a crash lost or tore is written at the next start") {
  const auto torn = GENERATE(false, true);
  const temp_folder data;
  std::string whole;
  {
    running_service account{"account", data};
    account.perform("t1/a", customer);
    account.perform("t2/a", customer);
    account.kill();
    whole = read_all(account.log_path());
    cut_off(account.log_path(), torn ? 20 : last_line_size(account.log_path()));
  }
  const running_service account{"account", data};
  CHECK(read_all(account.log_path()) == whole);
  account.perform("t3/a", customer);
  CHECK(account.log_lines().back()["seq"] == 3);
}

TEST_CASE("killed under load, the log and the effects agree") {
  const temp_folder data;
  std::vector<std::string> answered;
  std::size_t lines = 0;
  {
    running_service account{"account", data};
    std::mutex mutex;
    std::vector<std::thread> callers;
    for (int i = 0; i < 8; ++i)
      callers.emplace_back([&, i] {
        for (int n = 0;; ++n) {
          const auto key = "t" + std::to_string(i) + "-" + std::to_string(n) + "/a";
          if (account.perform(key, customer).status != 201)
            return;
          const std::lock_guard guard{mutex};
          answered.push_back(key);
        }
      });
    CHECK(comes_true([&] {
      const std::lock_guard guard{mutex};
      return answered.size() >= 100;
    }));
    account.kill();
    for (auto& c : callers)
      c.join();
    lines = account.logged().size();
  }
  const running_service account{"account", data};
  const auto logged = account.logged();
  CHECK(logged.size() >= lines);
  CHECK(account.get("/stats").body["effects_in_place"] == logged.size());
  for (const auto& key : answered)
    CHECK(account.logged(key) == strings{"do created"});
}

TEST_CASE("SIGTERM ends the service at once although requests hang") {
  const temp_folder data;
  running_service account{"account", data, {"--hang-seconds", "600"}};
  std::thread hanging{[&] {
    request r;
    r.key = "t1/a";
    r.body = {{"customer", "alice"}, {"fault", "hang_before"}};
    account.post("/check", r);
  }};
  CHECK(comes_true([&] { return account.get("/stats").body.value("held", 0) == 1; }));
  CHECK(account.terminate() == 0);
  hanging.join();
}

TEST_CASE("a second service on the same database is refused") {
  const temp_folder data;
  const running_service account{"account", data};
  account.perform("t1/a", customer);
  std::string said;
  CHECK(run_to_end({"account", "--data", data.path().string()}, said) == 1);
  CHECK(said.find("locked") != std::string::npos);
}

TEST_CASE("what cannot be started says why") {
  const temp_folder data;
  std::string said;
  CHECK(run_to_end({"acount"}, said) == 2);
  CHECK(run_to_end({"account", "--transient", "1.5"}, said) == 2);
  CHECK(run_to_end({"account", "--late-min-ms", "5000", "--data", data.path().string()}, said) == 2);
  CHECK(run_to_end({"account", "--data", "/dev/null/nowhere"}, said) == 1);
  said.clear();
  CHECK(run_to_end({"--help"}, said) == 0);
  CHECK(said.find("--hang-seconds") != std::string::npos);
  CHECK(said.find("transport: POST /decide") != std::string::npos);
}

TEST_CASE("health and stats tell what a service is and did") {
  const temp_folder data;
  const running_service account{"account", data};
  CHECK(account.get("/health").body == json{{"service", "account"}, {"ok", true}});
  account.perform("t1/a", customer);
  account.perform("t1/a", customer);
  const auto stats = account.get("/stats").body;
  CHECK(stats.at("results") == json{{"created", 1}, {"repeated", 1}});
  CHECK(stats.at("effects_in_place") == 1);
  CHECK(stats.at("held") == 0);
}
