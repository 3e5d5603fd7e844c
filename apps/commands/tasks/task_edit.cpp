// Another payload for a task: from a file, or edited by a person, who sees what changes before it is sent.

#include "api/names.hpp"
#include "apps/command_line/commands.hpp"
#include "apps/command_line/documents.hpp"
#include "apps/command_line/filter.hpp"
#include "apps/command_line/node_access.hpp"
#include "apps/command_line/scratch_folder.hpp"
#include "apps/terminal/failure.hpp"
#include "apps/terminal/interrupt.hpp"
#include "apps/terminal/terminal.hpp"
#include "apps/views/json_changes.hpp"
#include "client/exact_json.hpp"
#include "workflow/text/json_place.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace steadfast::apps {
namespace {

using nlohmann::json;

constexpr int shell_cannot_run_it = 126; ///< from here on

struct task_edit_arguments {
  node_choice node;
  std::string id;
  std::string payload;
  std::string why;
  bool dry_run = false;
  bool yes = false;
};

enum class reply { yes, edit_again, no };

bool is_person_there() {
  return isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1;
}

/// Anything but y and e is a no, Ctrl-C too.
reply ask(const std::string& question) {
  const interrupt_guard guard;
  std::cerr << question << std::flush;
  const auto typed = interrupt_guard::typed_line().value_or("");
  return typed == "y" ? reply::yes : typed == "e" ? reply::edit_again : reply::no;
}

/// A payload in a file that only this user can read, which goes away with this object.
class edited_payload {
public:
  explicit edited_payload(const json& payload) {
    std::ofstream{file_} << indented_json(exact_text(payload)) << '\n';
    std::filesystem::permissions(file_, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  }

  /// As a person leaves it. Throws failure when the editor cannot be run, or ends with an error.
  std::string edited() const {
    const std::string by = editor();
    std::cout.flush();
    const int end = std::system((by + " '" + file_.string() + "'").c_str());
    const int code = WIFEXITED(end) ? WEXITSTATUS(end) : 128 + WTERMSIG(end);
    if (end == -1 || code == shell_cannot_run_it || code == shell_cannot_run_it + 1)
      throw failure{wrong_usage, "the editor `" + by + "` cannot be run: set $VISUAL or $EDITOR, or give --payload"};
    if (code != 0)
      throw failure{refused, "the editor ended with " + std::to_string(code) + ": nothing was changed"};
    return read_document(file_.string());
  }

private:
  static std::string editor() {
    for (const char* name : {"VISUAL", "EDITOR"})
      if (const char* value = std::getenv(name); value != nullptr && *value != '\0')
        return value;
    return "vi";
  }

  scratch_folder folder_{fast_place()};
  std::filesystem::path file_ = folder_.path() / "payload.json";
};

/// One edit of the payload of one task.
class payload_edit {
public:
  explicit payload_edit(const task_edit_arguments& g) : g_{g}, node_{connect(g.node)} { before_ = payload(); }

  int run() {
    const bool by_editor = g_.payload.empty();
    if (by_editor)
      check(exact_text(before_)); // a task that takes no payload would let a person edit for nothing
    if (!(by_editor ? edit() : take(read_document(g_.payload))))
      return report_unchanged();
    if (g_.dry_run)
      return report_preview();
    auto act = params(document_);
    if (by_editor)
      act["revision"] = unchanged_revision();
    return report_sent(node_.call(api::task_act, act));
  }

private:
  json task() { return node_.call(api::task_show, {{"id", g_.id}}).at("task"); }
  json payload() { return task().at("payload"); }

  /// Of the task as it is now. Throws if its payload is not the one that was edited.
  std::uint64_t unchanged_revision() {
    const auto now = task();
    if (!workflow::is_same_json(exact_text(now.at("payload")), exact_text(before_)))
      throw failure{refused, "somebody else has changed the payload meanwhile: nothing was changed"};
    return now.at("revision").get<std::uint64_t>();
  }

  json params(const std::string& document) const {
    return {{"id", g_.id}, {"act", "edit"}, {"who", who_acts()}, {"why", g_.why}, {"document", document}};
  }

  /// Throws client_error with the reason why the task would not take it.
  void check(const std::string& document) {
    auto dry = params(document);
    dry["dry_run"] = true;
    node_.call(api::task_act, dry);
  }

  /// False: it is the payload that the task has. Throws when it is no payload for it, or a person says no.
  bool take(const std::string& text) {
    consider(text);
    if (changes_.empty())
      return false;
    const bool is_asked = !g_.dry_run && !g_.yes && g_.payload != "-" && is_person_there();
    if (!is_asked)
      return true;
    std::cerr << changes_text(changes_, standard_output());
    if (ask("Send this payload? y: yes, anything else: no: ") != reply::yes)
      throw failure{refused, "nothing was changed"};
    return true;
  }

  /// The same for what a person writes, who may try again.
  bool edit() {
    for (const edited_payload file{before_};;) {
      const auto text = file.edited();
      std::string wrong;
      try {
        consider(text);
      } catch (const failure& e) {
        wrong = e.what();
      } catch (const client_error& e) {
        if (e.why() != client_error::kind::refused)
          throw;
        wrong = e.what();
      }
      if (wrong.empty() && (changes_.empty() || g_.dry_run))
        return !changes_.empty();
      std::cerr << (wrong.empty() ? changes_text(changes_, standard_output())
                                  : "steadfast: " + printable(wrong) + "\n");
      const auto said = ask(wrong.empty() ? "Send this payload? y: yes, e: edit again, anything else: no: "
                                          : "Edit again? e: yes, anything else: no: ");
      if (said == reply::yes && wrong.empty())
        return true;
      if (said != reply::edit_again)
        throw failure{wrong.empty() ? refused : wrong_data, "nothing was changed"};
    }
  }

  /// What would be sent, and how it differs from what the task has.
  void consider(const std::string& text) {
    require_json(text, "the payload");
    document_ = workflow::compact_json(text);
    changes_ = json_changes(before_, exact_json(document_));
    check(document_);
  }

  int report_unchanged() const {
    if (g_.node.json)
      print_json({{"id", g_.id}, {"act", "edit"}, {"done", false}, {"changes", json::array()}});
    else
      std::cout << printable(g_.id) << ": the payload is the same, nothing was changed\n";
    return done;
  }

  int report_preview() const {
    if (g_.node.json)
      print_json(
        {{"id", g_.id}, {"act", "edit"}, {"dry_run", true}, {"refused", ""}, {"changes", changes_json(changes_)}});
    else
      std::cout << "would edit " << printable(g_.id) << "\n" << changes_text(changes_, standard_output());
    return done;
  }

  int report_sent(const json& answer) const {
    const auto state = answer.at("process_state").get<std::string>();
    if (g_.node.json)
      print_json({{"id", g_.id}, {"act", "edit"}, {"done", true}, {"process_state", state}});
    else
      std::cout << printable(g_.id) << ": edit done, now " << state << '\n';
    return done;
  }

  const task_edit_arguments& g_;
  client node_;
  json before_;
  std::string document_;
  std::vector<json_change> changes_;
};

int edit(const task_edit_arguments& g) {
  if (g.payload.empty() && !is_person_there())
    throw failure{wrong_usage, "give --payload FILE: an editor needs a terminal"};
  try {
    return payload_edit{g}.run();
  } catch (const client_error& e) {
    const bool is_absent = e.why() == client_error::kind::not_found;
    if (!g.dry_run || (!is_absent && e.why() != client_error::kind::refused))
      throw;
    if (g.node.json)
      print_json({{"id", g.id}, {"act", "edit"}, {"dry_run", true}, {"refused", e.what()}});
    else
      std::cout << "would not edit " << printable(g.id) << ": " << printable(e.what()) << '\n';
    return is_absent ? not_found : refused;
  }
}

} // namespace

void add_task_edit(CLI::App& to, command& chosen) {
  auto g = std::make_shared<task_edit_arguments>();
  auto* sub = to.add_subcommand("edit", "Change the payload; `retry` then continues with it");
  sub->add_option("id", g->id, "The task")->required()->check(why_empty, "")->type_name("ID");
  sub->add_option("--payload", g->payload, "The new payload; - is standard input [edit the present one]")
    ->check(why_empty, "")
    ->type_name("FILE");
  sub->add_option("--why", g->why, "Reason, kept in the task's story")->type_name("TEXT");
  sub->add_flag("--dry-run", g->dry_run, "Only say what would change");
  sub->add_flag("--yes", g->yes, "With --payload: do not ask");
  add_node_choice(*sub, g->node);
  sub->footer(
    "Without --payload, $VISUAL, $EDITOR or vi opens on the present payload. What changes is shown before it is\n"
    "sent, and nothing is sent when nothing changes.\n\n"
    "Example: steadfast task edit order-4711");
  sub->callback([g, &chosen] { chosen = [g] { return edit(*g); }; });
}

} // namespace steadfast::apps
