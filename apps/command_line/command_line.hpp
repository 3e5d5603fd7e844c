#pragma once

#include "apps/command_line/commands.hpp"
#include "apps/terminal/exit_code.hpp"

#include <iosfwd>
#include <string>
#include <variant>
#include <vector>

namespace steadfast::apps {

/// Adds every command and the help that is about all of them.
void add_all(CLI::App& to, command& chosen);

/// The subcommand of that name, or null.
const CLI::App* find_subcommand(const CLI::App& of, const std::string& name);

/// What a command line asks for, nothing of it done yet; or, when that is only help or makes no sense, the exit code,
/// after `out` or `err` was told. The words are given without the name of the program.
std::variant<command, exit_code> understand(const std::vector<std::string>& words, std::ostream& out,
                                            std::ostream& err);

/// Runs a command line, given without the name of the program. What goes wrong is printed as a line that names cause
/// and cure. Returns the exit code.
int run_command_line(const std::vector<std::string>& words);

} // namespace steadfast::apps
