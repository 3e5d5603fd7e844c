#include "runtime/configuration/tracing_options.hpp"

namespace steadfast {

std::vector<std::string> problems(const tracing_options& o) {
  if (!o.is_used())
    return {};
  auto found = actors::problems(o.collector);
  for (const auto& [name, value] : o.secrets)
    if (auto wrong = actors::header_problem(name, value.reveal()); !wrong.empty())
      found.push_back(std::move(wrong));
  return found;
}

} // namespace steadfast
