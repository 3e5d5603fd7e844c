#pragma once

#include "apps/commands.hpp"

#include <string>
#include <vector>

namespace steadfast::apps {

/// Adds every command and the help that is about all of them.
void add_all(CLI::App& to, command& chosen);

/// The subcommand of that name, or null.
const CLI::App* find_subcommand(const CLI::App& of, const std::string& name);

/// Runs a command line, given without the name of the program. What goes wrong is printed as a line that names cause and
/// cure. Returns the exit code.
int run_command_line(const std::vector<std::string>& words);

} // namespace steadfast::apps
