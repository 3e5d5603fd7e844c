// P31: secrets are planted wherever a node is given some, its agents fail in every way, and then all that was written
// or can be asked for is searched for them.

#include "tests/support/processes/node_process.hpp"
#include "tests/support/processes/proc_files.hpp"

#include <catch2/catch.hpp>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

using namespace steadfast::tests;
using namespace std::chrono_literals;

namespace {

constexpr const char* planted = "canary"; ///< part of every secret, and of nothing else
constexpr const char* header_secret = "Bearer planted-canary-of-header";
constexpr const char* query_secret = "planted-canary-of-query";
constexpr const char* path_secret = "planted-canary-of-path";
constexpr const char* variable_secret = "planted-canary-of-variable";

/// A service that says what it was sent, as some do in their errors. It must never hear of a proxy or another client.
class echoing_service {
public:
  echoing_service() {
    listening_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    REQUIRE(bind(listening_, reinterpret_cast<sockaddr*>(&address), size) == 0);
    REQUIRE(listen(listening_, 16) == 0);
    REQUIRE(getsockname(listening_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread{[this] { serve(); }};
  }
  ~echoing_service() {
    shutdown(listening_, SHUT_RDWR);
    thread_.join();
    close(listening_);
  }
  echoing_service(const echoing_service&) = delete;
  echoing_service& operator=(const echoing_service&) = delete;

  std::string origin() const { return "http://127.0.0.1:" + std::to_string(port_); }

private:
  void serve() const {
    for (int connection = 0; (connection = accept(listening_, nullptr, nullptr)) >= 0; close(connection)) {
      std::string request;
      std::array<char, 4096> bytes{};
      for (ssize_t n = 0; request.find("\r\n\r\n") == std::string::npos;
           request.append(bytes.data(), static_cast<std::size_t>(n)))
        if ((n = recv(connection, bytes.data(), bytes.size(), 0)) <= 0)
          break;
      const auto answer = "HTTP/1.1 422 No\r\nConnection: close\r\nContent-Length: " + std::to_string(request.size())
                          + "\r\n\r\n" + request;
      send(connection, answer.data(), answer.size(), MSG_NOSIGNAL);
      shutdown(connection, SHUT_WR);
      while (recv(connection, bytes.data(), bytes.size(), 0) > 0) {
      }
    }
  }

  int listening_ = -1;
  int port_ = 0;
  std::thread thread_;
};

std::string http_agent(const std::string& name, const std::string& url) {
  return "[[agent]]\nname = \"" + name + "\"\nurl = \"" + url + "\"\nretry = { attempts = 1 }\n"
         + "headers = { Authorization = { env = \"PLANTED_HEADER\" } }\n";
}

std::string program_agent(const std::string& script) {
  return "[[agent]]\nname = \"shell\"\nprogram = \"/bin/sh\"\narguments = [\"-c\", \"" + script
         + "\"]\nenvironment = { TOKEN = { env = \"PLANTED_VARIABLE\" } }\nallow_root = true\n";
}

std::string workflow_of(const std::string& agent) {
  return "name = \"" + agent + "\"\n[[step]]\nname = \"act\"\nagent = \"" + agent
         + "\"\nretry = { attempts = 1 }\nthreshold = 1\ncool_off = { count = 0 }\non_exhausted = \"error\"\n";
}

/// The command line of every process that this one or the node started.
std::string command_lines() {
  std::string all;
  for (const auto& process : std::filesystem::directory_iterator{"/proc"})
    all += text_of(process.path() / "cmdline") + "\n";
  return all;
}

} // namespace

TEST_CASE("P31: secrets of the configuration are in nothing that a node writes, says or is started with") {
  setenv("PLANTED_HEADER", header_secret, 1);
  setenv("PLANTED_VARIABLE", variable_secret, 1);
  const echoing_service service;
  const auto query = "?key=" + std::string{query_secret};
  const auto secret_part = "/hook/" + std::string{path_secret} + query;
  const std::vector<std::string> agents{"echoed", "unreached", "metadata", "unresolved", "shell"};
  node_process node{STEADFAST_BINARY, "[log]\nlevel = \"trace\"\n"
                                        + http_agent("echoed", service.origin() + "/hook" + query)
                                        + http_agent("unreached", "http://127.0.0.1:1" + secret_part)
                                        + http_agent("metadata", "http://169.254.169.254" + secret_part)
                                        + http_agent("unresolved", "http://no-such-host.invalid" + secret_part)
                                        + program_agent("echo I was given $TOKEN >&2; sleep 0.3; exit 1")};
  for (const auto& agent : agents)
    node.folder().write("workflows/" + agent + ".toml", workflow_of(agent));
  node.start();

  std::string said;
  for (const auto& agent : agents)
    REQUIRE(node.command({"submit", agent, "--id", agent, "--data", "{}"}).code == 0);
  said += command_lines();
  for (const auto& agent : agents)
    said += node.command({"submit", agent, "--id", agent, "--data", "{}", "--wait", "--limit", "60s"}).out;

  const std::vector<std::vector<std::string>> questions{
    {"task", "list", "--json"},  {"alerts", "list", "--json"},
    {"late", "--json"},          {"workflow", "list", "--json"},
    {"node", "list", "--json"},  {"node", "show", "--json"},
    {"lease", "list", "--json"}, {"task", "stuck"},
    {"agent", "list", "--json"}, {"agent", "list"},
    {"store", "dump"},           {"store", "stat"},
    {"serve", "--check"},
  };
  for (const auto& question : questions) {
    const auto end = node.command(question);
    INFO(question.at(0) << " " << question.at(1) << ": " << end.err);
    CHECK(end.code == 0);
    said += end.out + end.err;
  }
  for (const auto& agent : agents)
    for (const std::string verb : {"show", "explain"}) {
      const auto end = node.command({"task", verb, agent});
      CHECK(end.code == 0);
      said += end.out + end.err + node.command({"task", verb, agent, "--json"}).out;
    }
  for (const auto& actor : node.json_of({"actor", "list", "--json"}))
    said += node.command({"actor", "show", actor.at("id").get<std::string>(), "--json"}).out;
  node.process().signal(SIGTERM);
  REQUIRE(node.process().wait(hang_limit) == 0);
  said += node.process().err();

  // What was to be said was said: these are not the words of commands that failed.
  CHECK_THAT(said, Catch::Contains("HTTP 422") && Catch::Contains("I was given ***"));
  for (auto at = said.find(planted); at != std::string::npos; at = said.find(planted, at + 1))
    FAIL_CHECK(said.substr(at < 200 ? 0 : at - 200, 300));
  for (const auto& file : std::filesystem::recursive_directory_iterator{node.folder().path()})
    if (file.is_regular_file() && file.path().extension() != ".toml") {
      INFO(file.path());
      CHECK(text_of(file.path()).find(planted) == std::string::npos);
    }
}

TEST_CASE("P31: a refused configuration does not show what it was given") {
  const temp_folder folder;
  setenv("PLANTED_HEADER", "planted-canary\nX-Evil: 1", 1);
  folder.write("node.toml", "[store]\npath = \"store\"\n" + http_agent("a", "http://user:planted-canary@host/")
                              + http_agent("b", "http://host/ planted-canary") + http_agent("c", "http://localhost/"));
  for (const std::vector<std::string>& how : {std::vector<std::string>{"serve", "--check"}, {"serve"}}) {
    auto arguments = how;
    arguments.insert(arguments.end(), {"-c", (folder.path() / "node.toml").string()});
    const auto end = run_program(STEADFAST_BINARY, arguments);
    CHECK(end.code == 78);
    CHECK_THAT(end.err, Catch::Contains("user or password") && Catch::Contains("cannot be read")
                          && Catch::Contains("Authorization") && Catch::Contains("control character"));
    CHECK_THAT(end.err, !Catch::Contains(planted));
  }
  CHECK_FALSE(std::filesystem::exists(folder.path() / "store"));
}
