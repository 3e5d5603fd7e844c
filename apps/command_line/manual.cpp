// Man pages, made from the table of commands.

#include "apps/command_line/command_line.hpp"
#include "apps/command_line/shorthand.hpp"
#include "apps/terminal/exit_code.hpp"
#include "apps/terminal/failure.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <utility>

namespace steadfast::apps {
namespace {

namespace fs = std::filesystem;

/// The same as in docs/cli.md, in fewer words.
constexpr std::array<std::pair<int, const char*>, 16> meanings{{
  {done, "done; with `submit --wait`: the task was processed"},
  {refused, "the node refused, or a check found faults"},
  {task_undone, "`submit --wait`, `task follow`: the task was undone"},
  {task_error, "`submit --wait`, `task follow`: the task ended in error and needs a person"},
  {still_running, "with --limit: not done in time; it continues"},
  {not_found, "there is no such task, workflow, alert or incident"},
  {wrong_usage, "the command line is wrong"},
  {wrong_data, "a payload or a workflow file has mistakes"},
  {no_input, "a payload or a workflow file cannot be read"},
  {no_node, "no node answers at the socket, or the connection was lost"},
  {our_fault, "a bug in Steadfast"},
  {cannot_start, "the store, the socket or the port cannot be opened"},
  {store_failed, "`serve`: the disk failed"},
  {try_again, "too busy, or no answer in time; the same command is safe to repeat"},
  {wrong_config, "the configuration is wrong"},
  {reader_gone, "the reader of the output has gone"},
}};

/// Text as it is: no request of roff, no escape.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if ((out.empty() || out.back() == '\n') && (c == '.' || c == '\''))
      out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if (c != '`')
      out += c;
  }
  return out;
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c; });
  return text;
}

/// An option with its value as it is typed.
std::string usage_of(const CLI::Option& o) {
  if (o.get_positional()) {
    const auto name = o.get_type_name().empty() ? upper(o.get_name(true)) : o.get_type_name();
    const auto shown = name + (o.get_items_expected_max() > 1 ? "..." : "");
    return o.get_required() ? "\\fI" + roff(shown) + "\\fR" : "[\\fI" + roff(shown) + "\\fR]";
  }
  std::string text;
  for (const auto& name : o.get_snames())
    text += (text.empty() ? "\\fB\\-" : ", \\fB\\-") + roff(name) + "\\fR";
  for (const auto& name : o.get_lnames())
    text += (text.empty() ? "\\fB\\-\\-" : ", \\fB\\-\\-") + roff(name) + "\\fR";
  if (o.get_items_expected_max() > 0)
    text += " \\fI" + roff(o.get_type_name()) + "\\fR";
  return text;
}

std::vector<const CLI::Option*> options_in(const CLI::App& app, bool positional) {
  return app.get_options([&](const CLI::Option* o) { return o->get_positional() == positional; });
}

std::vector<const CLI::App*> shown_commands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* sub) { return !sub->get_group().empty(); });
}

class page {
public:
  explicit page(const std::string& name, const std::string& what) {
    out_ << ".TH " << upper(roff(name)) << " 1 \"\" \"steadfast " STEADFAST_VERSION "\" \"Steadfast\"\n"
         << ".nh\n.ad l\n"
         << ".SH NAME\n"
         << roff(name) << " \\- " << roff(what) << "\n";
  }

  void section(const std::string& name) { out_ << ".SH " << name << "\n"; }
  void paragraph(const std::string& text) { out_ << ".PP\n" << roff(text) << "\n"; }
  void entry(const std::string& head, const std::string& text) {
    out_ << ".TP\n" << head << "\n" << roff(text) << "\n";
  }
  void command(const std::string& name, const CLI::App& app) {
    out_ << ".SS \"" << roff(name) << "\"\n";
    synopsis(name, app);
    paragraph(app.get_description() + ".");
    for (const bool positional : {true, false})
      for (const auto* o : options_in(app, positional))
        if (!o->get_description().empty() && !o->check_lname("help") && !o->check_lname("help-all"))
          entry(usage_of(*o), o->get_description());
    literal(app.get_footer());
  }
  void synopsis(const std::string& name, const CLI::App& app) {
    out_ << ".PP\n\\fB" << roff(name) << "\\fR";
    if (!options_in(app, false).empty())
      out_ << " [\\fIoptions\\fR]";
    if (!shown_commands(app).empty())
      out_ << " \\fIcommand\\fR";
    for (const auto* o : options_in(app, true))
      out_ << ' ' << usage_of(*o);
    out_ << "\n";
  }
  /// Lines as they are.
  void literal(const std::string& text) {
    if (!text.empty())
      out_ << ".PP\n.nf\n" << roff(text) << "\n.fi\n";
  }

  std::string text() const { return out_.str(); }

private:
  std::ostringstream out_;
};

std::string page_of_program(const CLI::App& app) {
  page p{"steadfast", app.get_description()};
  p.section("SYNOPSIS");
  p.synopsis("steadfast", app);
  p.section("DESCRIPTION");
  p.paragraph(app.get_description());
  p.paragraph(app.get_footer());
  p.section("COMMANDS");
  for (const auto* sub : shown_commands(app))
    p.entry("\\fB" + roff(sub->get_name()) + "\\fR",
            sub->get_description() + ". See steadfast-" + sub->get_name() + "(1).");
  p.section("\"SHORT FORMS\"");
  for (const auto& s : shorthands())
    p.entry("\\fB" + roff(std::string{s.word}) + "\\fR", std::string{s.meaning});
  p.section("ENVIRONMENT");
  p.entry("\\fBSTEADFAST_CONFIG\\fR, \\fBSTEADFAST_SOCKET\\fR, \\fBSTEADFAST_STORE\\fR",
          "The node and the store, if no option names them.");
  p.entry("\\fBSTEADFAST_PAGER\\fR, \\fBPAGER\\fR",
          "Shows output longer than the terminal; less if neither is set, no pager if it is empty or cat.");
  p.entry("\\fBNO_COLOR\\fR", "No colours.");
  p.section("\"EXIT STATUS\"");
  for (const auto& [code, meaning] : meanings)
    p.entry(std::to_string(code), meaning);
  return p.text();
}

std::string page_of_command(const CLI::App& app) {
  const auto name = "steadfast " + app.get_name();
  page p{"steadfast-" + app.get_name(), app.get_description()};
  p.section("SYNOPSIS");
  const auto subs = shown_commands(app);
  if (subs.empty())
    p.synopsis(name, app);
  for (const auto* sub : subs)
    p.synopsis(name + " " + sub->get_name(), *sub);
  p.section("DESCRIPTION");
  if (subs.empty())
    p.command(name, app);
  for (const auto* sub : subs)
    p.command(name + " " + sub->get_name(), *sub);
  p.section("\"SEE ALSO\"");
  p.paragraph("steadfast(1)");
  return p.text();
}

void write_page(const fs::path& folder, const std::string& name, const std::string& text) {
  const auto file = folder / (name + ".1");
  std::ofstream out{file};
  out << text;
  if (!out.flush())
    throw failure{cannot_start, "cannot write " + file.string()};
}

int write_pages(const fs::path& folder) {
  command none;
  CLI::App app{program_description(), "steadfast"};
  add_all(app, none);
  write_page(folder, "steadfast", page_of_program(app));
  for (const auto* sub : shown_commands(app))
    write_page(folder, "steadfast-" + sub->get_name(), page_of_command(*sub));
  return done;
}

} // namespace

void add_manual(CLI::App& to, command& chosen) {
  auto folder = std::make_shared<std::string>();
  auto* sub = to.add_subcommand("__manual", "Writes the man pages");
  sub->group("");
  sub->add_option("folder", *folder, "Where to")->required()->type_name("FOLDER");
  sub->callback([folder, &chosen] { chosen = [folder] { return write_pages(*folder); }; });
}

} // namespace steadfast::apps
