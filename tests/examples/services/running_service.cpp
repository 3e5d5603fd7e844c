#include "tests/examples/services/running_service.hpp"

#include "examples/services/business/business.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <stdexcept>

namespace tests {

namespace {

constexpr auto program = STEADFAST_EXAMPLES_DIR "/services/example_service";

/// Starts the program with its output in a pipe; `output` is the end to read from.
pid_t start(const std::vector<std::string>& arguments, int& output) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw std::runtime_error{"no pipe"};
  std::vector<char*> raw{const_cast<char*>(program)};
  for (const auto& a : arguments)
    raw.push_back(const_cast<char*>(a.c_str()));
  raw.push_back(nullptr);
  const auto process = ::fork();
  if (process == 0) {
    ::dup2(ends[1], STDOUT_FILENO);
    ::dup2(ends[1], STDERR_FILENO);
    ::execv(program, raw.data());
    ::_exit(127);
  }
  ::close(ends[1]);
  output = ends[0];
  return process;
}

int exit_code(pid_t process) {
  int status = 0;
  ::waitpid(process, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

json parsed(const std::string& text) {
  return json::parse(text, nullptr, false);
}

response from(const httplib::Result& result) {
  if (!result)
    return {};
  return {result->status, parsed(result->body), result->get_header_value("Retry-After")};
}

} // namespace

running_service::running_service(std::string name, const temp_folder& data, std::vector<std::string> options)
    : name_{std::move(name)},
      log_path_{data.path() / (name_ + ".effects.jsonl")} {
  options.insert(options.begin(), {name_, "--data", data.path().string()});
  int output = -1;
  process_ = start(options, output);
  read_port(output);
}

running_service::~running_service() {
  if (process_ > 0)
    kill();
}

void running_service::read_port(int output) {
  const std::string before = "listening on 127.0.0.1:";
  std::string said;
  std::array<char, 256> bytes{};
  while (said.find('\n') == std::string::npos) {
    const auto count = ::read(output, bytes.data(), bytes.size());
    if (count <= 0)
      break;
    said.append(bytes.data(), static_cast<std::size_t>(count));
  }
  ::close(output);
  if (!said.starts_with(before)) {
    kill();
    throw std::runtime_error{"the service does not start: " + said};
  }
  port_ = std::stoi(said.substr(before.size()));
}

std::string running_service::operation_path() const {
  return "/" + std::string{services::find_business(name_)->operation};
}

response running_service::post(const std::string& path, const request& r, std::chrono::milliseconds limit) const {
  httplib::Client client{"127.0.0.1", port_};
  client.set_read_timeout(limit);
  client.set_tcp_nodelay(true);
  httplib::Headers headers{{"Idempotency-Key", r.key},
                           {"Steadfast-Action", r.action},
                           {"Steadfast-Task", r.key.substr(0, r.key.find('/'))},
                           {"Steadfast-Step", "step"},
                           {"Steadfast-Attempt", std::to_string(r.attempt)},
                           {"Steadfast-Try", std::to_string(r.attempt_try)},
                           {"Steadfast-Time-Left", std::to_string(r.time_left_ms)},
                           {"Steadfast-Epoch", "7"}};
  if (!r.reverses.empty())
    headers.emplace("Steadfast-Reverses", r.reverses);
  return from(client.Post(path, headers, r.body.dump(), "application/json"));
}

response running_service::post_plain(const std::string& path, const std::string& body,
                                     const httplib::Headers& headers) const {
  httplib::Client client{"127.0.0.1", port_};
  client.set_read_timeout(patience);
  return from(client.Post(path, headers, body, "application/json"));
}

response running_service::get(const std::string& path) const {
  httplib::Client client{"127.0.0.1", port_};
  client.set_read_timeout(patience);
  return from(client.Get(path));
}

response running_service::perform(const std::string& key, const json& body) const {
  request r;
  r.key = key;
  r.body = body;
  return post(operation_path(), r);
}

response running_service::undo(const std::string& key, const json& body) const {
  request r;
  r.key = key + "/undo";
  r.action = "undo";
  r.reverses = key;
  r.body = body;
  return post("/undo", r);
}

response running_service::probe(const std::string& key) const {
  request r;
  r.key = key + "/probe";
  r.action = "probe";
  r.reverses = key;
  return post("/probe", r);
}

std::vector<json> running_service::log_lines() const {
  std::vector<json> lines;
  std::ifstream in{log_path_};
  for (std::string line; std::getline(in, line);)
    lines.push_back(parsed(line));
  return lines;
}

std::vector<std::string> running_service::logged(const std::string& key) const {
  std::vector<std::string> results;
  for (const auto& line : log_lines())
    if (key.empty() || line.value("key", "") == key || line.value("reverses", "") == key)
      results.push_back(line.value("action", "?") + " " + line.value("result", "?"));
  return results;
}

int running_service::reap() {
  const auto code = exit_code(process_);
  process_ = -1;
  return code;
}

int running_service::terminate() {
  ::kill(process_, SIGTERM);
  return reap();
}

void running_service::kill() {
  ::kill(process_, SIGKILL);
  reap();
}

int run_to_end(const std::vector<std::string>& arguments, std::string& output) {
  int end = -1;
  const auto process = start(arguments, end);
  std::array<char, 1024> bytes{};
  for (ssize_t count = 0; (count = ::read(end, bytes.data(), bytes.size())) > 0;)
    output.append(bytes.data(), static_cast<std::size_t>(count));
  ::close(end);
  return exit_code(process);
}

} // namespace tests
