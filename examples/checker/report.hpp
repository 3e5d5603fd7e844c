#pragma once

#include "examples/checker/history/history.hpp"
#include "examples/checker/rules/findings.hpp"

#include <string>

namespace checker {

/// For people: a table, the examples, and the verdict in the last line.
std::string table(const findings& f, const history& h);

/// The same for programs: one JSON object.
std::string json_text(const findings& f, const history& h);

} // namespace checker
