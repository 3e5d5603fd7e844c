#pragma once

#include "apps/command_line/commands.hpp"
#include "apps/terminal/exit_code.hpp"

#include <iosfwd>
#include <string>
#include <variant>
#include <vector>

namespace steadfast::apps {

/// What the program is, in a sentence.
const char* program_description();

/// Adds every command and the help about all of them.
void add_all(CLI::App& to, command& chosen);

/// The subcommand of that name, or null.
const CLI::App* find_subcommand(const CLI::App& of, const std::string& name);

/// What a command line asks for, not yet done; or the exit code, if it only asked for help or makes no sense: then
/// `out` or `err` has the text. The words are given without the name of the program.
std::variant<command, exit_code> understand(const std::vector<std::string>& words, std::ostream& out,
                                            std::ostream& err);

/// Runs a command line, given without the name of the program. An error is printed as a line that names cause and
/// remedy. Returns the exit code.
int run_command_line(const std::vector<std::string>& words);

} // namespace steadfast::apps
