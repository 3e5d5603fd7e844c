#pragma once

#include "apps/command_line/commands.hpp"

#include <string>

namespace steadfast::apps {

/// The same command, whose output a person can page through if it has more lines than the terminal: by
/// $STEADFAST_PAGER, else $PAGER, else less. Output that is not for a person at a terminal, as with --json, is not
/// paged.
command paged(bool as_json, command what);

/// While it lives nothing is paged: output that is printed again and again would stop at the first page.
class without_pager {
public:
  without_pager();
  ~without_pager();
  without_pager(const without_pager&) = delete;
  without_pager& operator=(const without_pager&) = delete;

private:
  bool before_;
};

/// The command line of the pager; empty: there is none.
std::string pager_command();

} // namespace steadfast::apps
