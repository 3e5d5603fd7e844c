// Scripts with which shells complete command lines as the console does.

#include "apps/command_line/command_line.hpp"
#include "apps/command_line/completion.hpp"
#include "apps/command_line/known_names.hpp"
#include "apps/command_line/shorthand.hpp"
#include "apps/terminal/failure.hpp"
#include "apps/terminal/terminal.hpp"

#include <CLI/CLI.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <memory>

namespace steadfast::apps {
namespace {

/// A shell waits for it: a node that has not answered by then is not asked.
constexpr unsigned seconds_max = 2;

constexpr const char* for_bash = R"script(# bash completion of steadfast
_steadfast() {
  local line="${COMP_LINE:0:COMP_POINT}" found word kept candidate
  found="$("${COMP_WORDS[0]}" __complete -- "${line#*"${COMP_WORDS[0]}"}" 2>/dev/null)" || return
  COMPREPLY=()
  # What stands before a word break of bash, such as = or :, is not replaced; within quotes nothing breaks a word.
  word="${line##*[[:space:]]}"
  kept="${word%"${word##*["$COMP_WORDBREAKS"]}"}"
  [[ "$word" == [\"\']* ]] && kept=""
  while IFS=$'\t' read -r candidate _; do
    if [[ "$candidate" == ":files" ]]; then
      compopt -o default 2>/dev/null
    elif [[ -n "$candidate" ]]; then
      COMPREPLY+=("${candidate#"$kept"}")
    fi
  done <<< "$found"
  if [[ ${#COMPREPLY[@]} -eq 1 && "${COMPREPLY[0]}" == *= ]]; then
    compopt -o nospace 2>/dev/null
  fi
}
complete -F _steadfast steadfast
)script";

constexpr const char* for_zsh = R"script(#compdef steadfast
# zsh completion of steadfast: in a folder of $fpath it is called _steadfast
_steadfast() {
  local line text
  local -a found texts shown open
  found=("${(@f)$(${words[1]} __complete -- "${(j: :)words[2,CURRENT-1]} ${PREFIX}" 2>/dev/null)}")
  for line in "${found[@]}"; do
    text="${line%%$'\t'*}"
    if [[ "$text" == ":files" ]]; then
      _files
    elif [[ "$text" == *= ]]; then
      open+=("$text")
    elif [[ -n "$text" ]]; then
      texts+=("$text")
      if [[ "$line" == *$'\t'* ]]; then
        shown+=("$text  -- ${line#*$'\t'}")
      else
        shown+=("$text")
      fi
    fi
  done
  (( ${#texts} )) && compadd -l -d shown -a texts
  (( ${#open} )) && compadd -S '' -a open
  return 0
}
if [[ "${funcstack[1]}" == "_steadfast" ]]; then
  _steadfast "$@"
else
  compdef _steadfast steadfast
fi
)script";

constexpr const char* for_fish = R"script(# fish completion of steadfast
function __steadfast_complete
  set -l line (commandline -cp | string replace -r '^\s*\S+' '')
  set -l found (steadfast __complete -- "$line" 2>/dev/null)
  if test "$found[1]" = ":files"
    __fish_complete_path (commandline -ct)
    set -e found[1]
  end
  test (count $found) -gt 0; and printf '%s\n' $found
end
complete -c steadfast -f -a '(__steadfast_complete)'
)script";

int print_script(const std::string& shell) {
  std::cout << (shell == "bash" ? for_bash : shell == "zsh" ? for_zsh : for_fish);
  return done;
}

/// An unclosed quote is left out, so that the last word is its content.
std::string without_open_quote(std::string line) {
  char quote = '\0';
  std::size_t opened = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '\\' && quote != '\'')
      ++i;
    else if (quote == '\0' && (c == '\'' || c == '"')) {
      quote = c;
      opened = i;
    } else if (c == quote)
      quote = '\0';
  }
  if (quote != '\0')
    line.erase(opened, 1);
  return line;
}

/// The node that the line itself names.
void choose_node(const std::string& line) {
  const auto words = words_of(line);
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    if (words[i] == "--socket") {
      setenv("STEADFAST_SOCKET", words[i + 1].c_str(), 1);
    } else if (words[i] == "-c" || words[i] == "--config") {
      setenv("STEADFAST_CONFIG", words[i + 1].c_str(), 1);
      unsetenv("STEADFAST_SOCKET");
    }
}

int print_completions(const std::string& typed) {
  alarm(seconds_max);
  const auto line = without_open_quote(typed);
  choose_node(line);
  command none;
  CLI::App commands;
  add_all(commands, none);
  const auto found = complete(commands, line, known_names);
  if (found.is_file)
    std::cout << ":files\n";
  for (const auto& c : found.all)
    std::cout << printable(c.text) << (c.help.empty() ? "" : "\t" + c.help) << '\n';
  return done;
}

} // namespace

void add_completion(CLI::App& to, command& chosen) {
  auto shell = std::make_shared<std::string>();
  auto* sub = to.add_subcommand("completion",
                                "Print a script that makes a shell complete commands, options, their values and ids");
  sub->add_option("shell", *shell, "bash, zsh or fish")
    ->required()
    ->check(CLI::IsMember({"bash", "zsh", "fish"}).description(""))
    ->type_name("SHELL");
  sub->footer("Installed packages include these scripts. By hand:\n\n"
              "Example: steadfast completion bash > ~/.local/share/bash-completion/completions/steadfast");
  sub->callback([shell, &chosen] { chosen = [shell] { return print_script(*shell); }; });

  auto line = std::make_shared<std::string>();
  auto* complete_sub = to.add_subcommand("__complete", "For these scripts: completions of the last word");
  complete_sub->group("");
  complete_sub->add_option("line", *line, "The command line up to the cursor, without the name of the program");
  complete_sub->callback([line, &chosen] { chosen = [line] { return print_completions(*line); }; });
}

} // namespace steadfast::apps
