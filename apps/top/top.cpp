// The cluster at a glance, full screen, refreshed: as top(1) for processes. With keys, what is seen can be opened.

#include "apps/command_line/command_line.hpp"
#include "apps/command_line/commands.hpp"
#include "apps/command_line/node_access.hpp"
#include "apps/command_line/pager.hpp"
#include "apps/terminal/exit_code.hpp"
#include "apps/terminal/failure.hpp"
#include "apps/terminal/full_screen.hpp"
#include "apps/top/board_view.hpp"
#include "apps/top/glance.hpp"
#include "apps/top/text_view.hpp"
#include "runtime/text/quantity.hpp"

#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

namespace steadfast::apps {
namespace {

constexpr workflow::span before_first_rates{500};
constexpr const char* keys_text = R"(up, down, j, k             to the row above or below
PgUp, PgDn, b, Space       ten rows, or a page of a text
Home, End, g, G            to the first, or the last
Tab                        to the next list
Enter                      opens what the row is about: a node, an agent, a task, an incident; or the rest of a list
/                          shows only rows with the text that follows; Enter keeps it, Escape shows all again
Escape, q                  goes back; q leaves from the lists
Ctrl-C                     leaves

What is open is looked at again as often as the lists. Nothing here changes anything.
)";

struct top_arguments {
  node_choice node;
  std::string interval = "1s";
  std::size_t times = 0;
};

/// What commands about the node at a socket print, on standard output and standard error.
class printed_by {
public:
  printed_by(const std::vector<std::vector<std::string>>& commands, const std::string& socket) {
    for (auto words : commands) {
      if (!out_.str().empty())
        out_ << '\n';
      words.insert(words.end(), {"--socket", socket});
      run_command_line(words);
    }
  }
  ~printed_by() {
    std::cout.rdbuf(cout_);
    std::cerr.rdbuf(cerr_);
  }
  printed_by(const printed_by&) = delete;
  printed_by& operator=(const printed_by&) = delete;

  std::string text() const { return out_.str(); }

private:
  const without_pager shown_at_once_;
  std::ostringstream out_;
  std::streambuf* cout_ = std::cout.rdbuf(out_.rdbuf());
  std::streambuf* cerr_ = std::cerr.rdbuf(out_.rdbuf());
};

/// A person who looks, and opens what is seen.
class top_session {
public:
  top_session(const node_choice& node, watched_cluster& cluster)
      : socket_{places_of(node).socket.string()},
        cluster_{cluster} {}

  void look() {
    lists_.show(cluster_.look(standard_output()));
    if (text_ && !commands_.empty())
      text_->show(printed_by{commands_, socket_}.text());
  }

  std::string picture() {
    const auto to = standard_output();
    return text_ ? text_->picture(to) : lists_.picture(to);
  }

  /// False: the person leaves.
  bool press(const key& pressed) {
    const bool goes_back = pressed.is('q') || pressed.what == key::kind::escape;
    if (text_ && goes_back)
      text_.reset();
    else if (text_)
      text_->press(pressed);
    else if (lists_.is_typing())
      lists_.press(pressed);
    else if (pressed.is('q'))
      return false;
    else if (pressed.is('?'))
      open("keys", {}, keys_text);
    else if (const auto* item = lists_.selected(); item != nullptr && pressed.what == key::kind::enter)
      open(item->name, item->commands, printed_by{item->commands, socket_}.text());
    else
      lists_.press(pressed);
    return true;
  }

private:
  void open(const std::string& title, std::vector<std::vector<std::string>> commands, std::string text) {
    text_.emplace(printable(title));
    text_->show(std::move(text));
    commands_ = std::move(commands);
  }

  std::string socket_;
  watched_cluster& cluster_;
  board_view lists_;
  std::optional<text_view> text_; ///< what is open
  std::vector<std::vector<std::string>> commands_;
};

/// At most `height` lines.
std::string fitting(const std::string& text, std::size_t height) {
  auto lines = lines_of(text);
  lines.resize(std::min(lines.size(), height));
  std::string out;
  for (const auto& line : lines)
    out += (out.empty() ? "" : "\n") + line;
  return out;
}

int run_top(const top_arguments& g) {
  const auto interval = runtime::parse_span(g.interval);
  if (!interval || *interval < workflow::span{100})
    throw failure{wrong_usage, "-n: `" + g.interval + "` is not a duration of at least 100 ms: write "
                                 + std::string{runtime::span_rule}};
  watched_cluster cluster{g.node, g.interval, ", q leaves"};
  top_session session{g.node, cluster};
  full_screen screen;
  for (std::size_t i = 0;; ++i) {
    const auto to = standard_output();
    if (i > 0 && screen.has_keys()) {
      session.look();
      screen.show(fitting(session.picture(), to.height));
    } else if (i > 0) {
      screen.show(fitting(board_text(cluster.look(to), to), to.height));
    }
    if (i > 0 && i == g.times)
      return done;
    const auto next = std::chrono::steady_clock::now() + (i == 0 ? before_first_rates : *interval);
    key pressed;
    auto woken = screen.wait(next, pressed);
    for (; woken == full_screen::woken::by_key; woken = screen.wait(next, pressed)) {
      if (!session.press(pressed))
        return done;
      screen.show(fitting(session.picture(), standard_output().height));
    }
    if (woken == full_screen::woken::to_leave)
      return done;
  }
}

} // namespace

void add_top(CLI::App& to, command& chosen) {
  auto g = std::make_shared<top_arguments>();
  auto* sub =
    to.add_subcommand("top", "The cluster at a glance: rates, states, nodes, slowest attempts, waits, incidents");
  sub->add_option("-n,--interval", g->interval, "Refresh interval [1s]")->type_name("DURATION");
  sub->add_option("--times", g->times, "Stop after N refreshes [never]");
  add_node_choice(*sub, g->node, false);
  sub->footer(
    "On a terminal, arrows or j and k move, Enter opens a row, / filters, ? shows the keys; q or Ctrl-C leaves.\n\n"
    "Example: steadfast top -n 2s");
  sub->callback([g, &chosen] { chosen = [g] { return run_top(*g); }; });
}

} // namespace steadfast::apps
