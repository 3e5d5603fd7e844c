#pragma once

#include "workflow/calling/circuit.hpp"
#include "workflow/definition/retry.hpp"
#include "workflow/time/time.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace steadfast::actors {

using workflow::circuit_options;

/// The token that ends a step later which an agent has begun.
struct issued_token {
  std::string token;  ///< what `prefix` says, and a secret
  std::string digest; ///< SHA-256 of it: what is stored
};
using issue_token = std::function<issued_token(const std::string& prefix)>;

/// Options of every kind of agent.
struct agent_options {
  std::string name;
  workflow::retry_policy retry{3, workflow::span{50}, 200, workflow::span{2000}, 20}; ///< inside one attempt
  circuit_options circuit;
  std::uint32_t concurrency = 64;           ///< calls at a time
  std::uint32_t queue = 1024;               ///< orders waiting for their turn; above, they are declined
  std::uint32_t rate_per_second = 0;        ///< calls begun per second; 0: no limit
  std::uint32_t burst = 10;                 ///< calls that may begin at once when the rate was not used
  workflow::span call_limit{0};             ///< a longer call is a transient failure; 0: only complete-by ends it
  std::uint64_t result_size_max = 1 << 20;  ///< a larger result is a permanent failure that may have acted
  std::uint64_t inputs_size_max = 64 << 20; ///< bytes of input of all open orders together; above, they are declined
  issue_token tokens{};                     ///< empty: none of its steps may end later
};

/// Calls a service over HTTP. The destination comes only from the configuration.
struct http_options {
  std::string url;
  std::string method = "POST";
  std::map<std::string, std::string> headers;
  std::vector<std::string> permanent = {"3xx", "4xx"}; ///< status classes or codes answered as permanent failures
  std::vector<std::string> transient = {"408", "425", "429", "5xx"}; ///< these take precedence over permanent
  workflow::span connect_limit{3000};
  std::string ca_file;              ///< empty: the system's certificates
  std::string proxy;                ///< URL of a proxy; empty: none, whatever the environment says
  std::vector<std::string> secrets; ///< shown as *** where a service's answer repeats them
  bool allow_link_local = false;    ///< 169.254.0.0/16, fe80::/10 and the other addresses where cloud metadata lives
};

/// Runs an allow-listed program: input on standard input, result on standard output, no shell.
struct program_options {
  std::string program; ///< absolute path
  std::vector<std::string> arguments;
  std::map<std::string, std::string> environment;   ///< the whole environment of the program, except STEADFAST_*
  std::vector<std::int32_t> transient_exits = {75}; ///< exit codes after which another try may succeed (EX_TEMPFAIL)
  std::int32_t denied_exit = 66;                    ///< a probe's exit code for "it did not happen" (EX_NOINPUT)
  std::uint64_t output_max = 1 << 20;
  std::string directory = "/";      ///< where it runs
  std::vector<std::string> secrets; ///< shown as *** where the program says them
  bool allow_root = false;          ///< run it although the node runs as root
};

/// What is wrong, one sentence each, naming the field. Empty: the options can be used.
std::vector<std::string> problems(const agent_options& o);
std::vector<std::string> problems(const http_options& o);
std::vector<std::string> problems(const program_options& o);

/// What is wrong with a header or a variable of the environment, without its value. Empty: nothing.
std::string header_problem(const std::string& name, const std::string& value);
std::string variable_problem(const std::string& name, const std::string& value);

} // namespace steadfast::actors
