#pragma once

#include "workflow/retry.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace steadfast::actors {

/// When an agent stops calling a service that keeps failing (pattern "Circuit Breaker").
struct circuit_options {
  std::uint32_t failures = 5;       ///< in a row that open the circuit; 0: never opens
  workflow::span open_for{5000};    ///< before one trial call is let through
  std::uint32_t trials = 1;         ///< successes in a row, while half-open, that close it again
};

/// What every kind of agent has.
struct agent_options {
  std::string name;
  workflow::retry_policy retry{3, workflow::span{50}, 200, workflow::span{2000}, 20}; ///< inside one attempt
  circuit_options circuit;
  std::uint32_t concurrency = 64;    ///< calls at a time
  std::uint32_t queue = 1024;        ///< orders waiting for their turn; above, they are declined
  std::uint32_t rate_per_second = 0; ///< calls begun per second; 0: no limit
  std::uint32_t burst = 10;          ///< calls that may begin at once when the rate was not used
  std::uint64_t result_size_max = 1 << 20;
};

/// Calls a service over HTTP. The destination comes from the configuration and from nowhere else.
struct http_options {
  std::string url;
  std::string method = "POST";
  std::map<std::string, std::string> headers;
  std::vector<std::string> permanent = {"4xx"};              ///< status classes or codes answered as permanent failures
  std::vector<std::string> transient = {"408", "425", "429", "5xx"}; ///< these win over permanent
  workflow::span connect_limit{3000};
  std::string ca_file; ///< empty: the system's certificates
  bool allow_link_local = false; ///< 169.254.0.0/16 and fe80::/10, where cloud metadata lives
};

/// Runs an allow-listed program: input on standard input, result on standard output, no shell.
struct exec_options {
  std::string program; ///< absolute path
  std::vector<std::string> arguments;
  std::map<std::string, std::string> environment; ///< the whole environment of the program
  std::vector<std::int32_t> transient_exits = {75}; ///< exit codes that are worth another try (EX_TEMPFAIL)
  std::uint64_t output_max = 1 << 20;
};

std::vector<std::string> problems(const agent_options& o);
std::vector<std::string> problems(const http_options& o);
std::vector<std::string> problems(const exec_options& o);

} // namespace steadfast::actors
