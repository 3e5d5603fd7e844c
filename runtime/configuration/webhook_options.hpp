#pragma once

#include "actors/agents/agent_options.hpp"
#include "runtime/text/secret.hpp"
#include "workflow/outward/delivery_queue.hpp"
#include "workflow/time/time.hpp"

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace steadfast {

/// Who is told of alerts and of ends of tasks: a URL, or a program that gets each notification on its standard input.
struct webhook_entry {
  workflow::subscription what;
  std::variant<actors::http_options, actors::program_options> kind;
  std::map<std::string, runtime::secret> secrets; ///< further headers or environment variables, never shown
  runtime::secret key;                            ///< that a URL's notifications are signed with; empty: they are not
  runtime::secret old_key;                        ///< also, while receivers change from one to the other
  workflow::delivery_options delivery;
  workflow::span call_limit{15'000};
};

/// Their mistakes, a sentence each.
std::vector<std::string> problems(const webhook_entry& w);

/// The bytes that a key of Standard Webhooks stands for: `whsec_` and 24 to 64 bytes in base64. Absent: it is none.
std::optional<std::string> signing_key(const std::string& text);

} // namespace steadfast
