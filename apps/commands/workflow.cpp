#include "api/names.hpp"
#include "apps/command_line/commands.hpp"
#include "apps/command_line/documents.hpp"
#include "apps/command_line/filter.hpp"
#include "apps/command_line/node_access.hpp"
#include "apps/command_line/paged_list.hpp"
#include "apps/command_line/pager.hpp"
#include "apps/terminal/failure.hpp"
#include "apps/terminal/table.hpp"
#include "runtime/configuration/schedule_file.hpp"
#include "runtime/configuration/workflow_file.hpp"
#include "runtime/text/json.hpp"
#include "runtime/text/quantity.hpp"
#include "runtime/toml/config_error.hpp"
#include "runtime/toml/toml_file.hpp"
#include "workflow/definition/payload_needs.hpp"
#include "workflow/text/name.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace steadfast::apps {
namespace {

using nlohmann::json;

struct workflow_arguments {
  node_choice node;
  std::string name;
  unsigned version = 0;
  std::vector<std::string> files;
  std::string why;
  bool dry_run = false;
  bool against_node = false;
};

std::string names(const json& list) {
  std::string text;
  for (const auto& n : list)
    text += (text.empty() ? "" : ", ") + n.get<std::string>();
  return text;
}

std::string text_of(const json& j) {
  return j.is_string() ? j.get<std::string>() : json_line(j);
}

std::string retry_text(const json& s) {
  const auto& r = s.at("retry");
  return std::to_string(r.value("attempts", 0)) + " x " + text_of(s.value("complete_by", json{})) + ", waits "
         + text_of(r.value("initial", json{})) + " to " + text_of(r.value("cap", json{}));
}

/// Of tasks that have not ended.
const json open_states{"pending", "processing", "undoing", "suspended", "error"};

/// As in a file, shorter; parts of parts stand in brackets. Of the step's own result if it names no step.
std::string condition_text(const json& w, bool is_part = false) {
  if (w.contains("not"))
    return "not " + condition_text(w["not"], true);
  for (const auto* word : {"all", "any"})
    if (w.contains(word)) {
      std::string text;
      for (const auto& part : w[word])
        text += (text.empty() ? "" : word == std::string_view{"all"} ? " and " : " or ") + condition_text(part, true);
      return is_part ? "(" + text + ")" : text;
    }
  const auto place = (w.contains("step") ? text_of(w["step"]) + ":" : "") + text_of(w.at("pointer"));
  for (const auto& [name, sign] : std::initializer_list<std::pair<const char*, const char*>>{{"equals", " = "},
                                                                                             {"differs", " != "},
                                                                                             {"above", " > "},
                                                                                             {"at_least", " >= "},
                                                                                             {"below", " < "},
                                                                                             {"at_most", " <= "}})
    if (w.contains(name))
      return place + sign + json_line(w[name]);
  return place + (w.value("present", true) ? " is present" : " is absent");
}

std::string items_text(const json& s) {
  const auto may_fail = text_of(s.at("may_fail"));
  return " for each of " + text_of(s.at("for_each")) + ", " + text_of(s.at("at_a_time")) + " at a time"
         + (may_fail == "0" ? "" : ", " + may_fail + " may fail");
}

std::string repeat_text(const json& s) {
  const auto& r = s.at("repeat");
  return " every " + text_of(r.at("every")) + " until " + condition_text(r.at("until")) + ", "
         + text_of(r.at("at_most")) + " calls at most";
}

/// Who carries it out, or what it waits for.
std::string agent_text(const json& s) {
  for (const auto* wait : {"sleep", "until"})
    if (s.contains(wait))
      return std::string{wait} + " " + text_of(s.at(wait));
  if (s.contains("wait"))
    return "event " + text_of(s.at("wait").at("event"));
  if (s.contains("question"))
    return "person " + text_of(s.value("role", json("")));
  auto text = s.contains("workflow") ? "workflow " + text_of(s.at("workflow")) : text_of(s.at("agent"));
  text += s.contains("later") ? ", later" : "";
  text += s.contains("for_each") ? items_text(s) : "";
  text += s.contains("repeat") ? repeat_text(s) : "";
  return text + (s.contains("expect") ? ", expects " + condition_text(s.at("expect")) : "");
}

void print_definition(const json& d) {
  const auto to = standard_output();
  std::cout << painted(text_of(d.at("name")), colour::strong, to) << " v" << d.at("version") << "  deadline "
            << text_of(d.at("deadline")) << " with " << text_of(d.at("undo_reserve")) << " for undo, priority "
            << d.at("priority");
  if (d.contains("limit")) {
    std::cout << ", " << d["limit"].at("at_a_time") << " at a time with the same " << text_of(d["limit"].at("key"));
    if (d["limit"].contains("per"))
      std::cout << ", and no more begun within " << text_of(d["limit"]["per"]);
  }
  std::cout << "\n\n";
  table rows{{"step", "agent", "after", "only if", "attempts", "when exhausted", "undone by"}};
  for (const auto& s : d.at("steps"))
    rows.add({text_of(s.at("name")), agent_text(s), names(s.at("after")),
              s.contains("when") ? condition_text(s["when"]) : "", s.contains("retry") ? retry_text(s) : "-",
              text_of(s.value("on_exhausted", json("-"))),
              s.contains("workflow")       ? "its undo"
              : s.contains("compensation") ? text_of(s["compensation"]["agent"])
                                           : "-"});
  std::cout << rows.text(to, 2);
}

int list(const workflow_arguments& g) {
  const auto row_of = [](const json& d) -> std::vector<cell> {
    return {text_of(d.at("name")), d.at("version").dump(), std::to_string(d.at("steps").size()),
            text_of(d.at("deadline"))};
  };
  print_all(g.node, {api::workflow_list, "workflows", "after", false}, json::object(),
            table{{"workflow", "version", "steps", "deadline"}}, row_of,
            "no workflow is registered: name its file under `workflows` in the configuration\n");
  return done;
}

int show(const workflow_arguments& g) {
  json params{{"name", g.name}};
  if (g.version != 0)
    params["version"] = g.version;
  const auto answer = connect(g.node).call(api::workflow_show, params);
  if (g.node.json)
    print_json(answer.at("workflow"));
  else
    print_definition(answer.at("workflow"));
  return done;
}

struct checked_file {
  std::string name;
  std::vector<std::string> problems;
  std::optional<workflow::definition> workflow; ///< none: it has schedules only
  std::vector<workflow::schedule> schedules;
};

checked_file read_to_check(const std::string& file) {
  require_file(file);
  checked_file x{file, {}, {}, {}};
  const auto add = [&x](const runtime::config_error& e) {
    x.problems.insert(x.problems.end(), e.problems().begin(), e.problems().end());
  };
  try {
    const auto text = runtime::read_text_file(file);
    if (!has_only_schedules(text, file))
      try {
        x.workflow = parse_workflow(text, file);
      } catch (const runtime::config_error& e) {
        add(e);
      }
    x.schedules = parse_schedules(text, file);
  } catch (const runtime::config_error& e) {
    add(e);
  }
  return x;
}

/// A workflow of one file may refuse the tasks of a schedule in another.
void hold_together(std::vector<checked_file>& all) {
  const auto now = std::chrono::floor<workflow::span>(std::chrono::system_clock::now());
  for (auto& x : all)
    for (const auto& s : x.schedules)
      for (const auto& of : all)
        if (of.workflow && workflow::is_for(s, *of.workflow))
          for (const auto& p : workflow::problems(s, *of.workflow, now))
            x.problems.push_back(x.name + ": schedule " + workflow::quoted(s.name) + ": " + p);
}

void tell_checked(const workflow_arguments& g, const checked_file& x) {
  const auto schedules = runtime::counted(x.schedules.size(), "schedule");
  if (g.node.json) {
    json told{{"file", x.name}, {"problems", x.problems}};
    if (x.problems.empty() && x.workflow)
      told["workflow"] = definition_json(*x.workflow);
    else if (x.problems.empty())
      for (const auto& s : x.schedules)
        told["schedules"].push_back(s.name);
    print_json(told);
  } else if (!x.problems.empty()) {
    std::cout << runtime::config_error{x.problems}.what() << '\n';
  } else if (x.workflow) {
    std::cout << x.name << ": workflow " << x.workflow->name << " v" << x.workflow->version << " is valid, "
              << runtime::counted(x.workflow->steps.size(), "step") << (x.schedules.empty() ? "" : ", " + schedules)
              << '\n';
  } else {
    std::cout << x.name << ": valid, " << schedules << '\n';
  }
}

int check(const workflow_arguments& g) {
  std::vector<checked_file> all;
  for (const auto& file : g.files)
    all.push_back(read_to_check(file));
  hold_together(all);
  int code = done;
  for (const auto& x : all) {
    tell_checked(g, x);
    code = x.problems.empty() ? code : wrong_data;
  }
  return code;
}

/// What the node says of a file; registers it unless it is only asked. Its workflow's name.
std::string register_file(client& node, const workflow_arguments& g, const std::string& file, bool is_dry) {
  require_file(file);
  const auto d = load_workflow(file); // its mistakes are told with the file's name and line
  const auto answer =
    node.call(api::workflow_register,
              {{"text", runtime::read_text_file(file)}, {"who", who_acts()}, {"why", g.why}, {"dry_run", is_dry}});
  if (g.node.json) {
    print_json(answer);
    return d.name;
  }
  const bool is_new = answer.at("created").get<bool>();
  std::cout << "workflow " << d.name << " v" << d.version
            << (!is_new  ? " is already registered, with the same content"
                : is_dry ? " can be registered"
                         : " is registered; new tasks of it begin with this version")
            << '\n';
  if (const auto left = parse_schedules(runtime::read_text_file(file), file); !left.empty())
    std::cout << "its " << runtime::counted(left.size(), "schedule") << " stayed as they are: steadfast schedule put "
              << file << '\n';
  if (const auto& missing = answer.at("agents_missing"); !missing.empty())
    std::cout << "no node has these agents, so tasks would wait for them: " << names(missing) << '\n';
  return d.name;
}

int register_all(const workflow_arguments& g) {
  auto node = connect(g.node);
  for (const auto& file : g.files)
    register_file(node, g, file, g.dry_run);
  return done;
}

/// What there is of it at the node, and which tasks a new version does not change.
void tell_what_is_there(client& node, const std::string& name) {
  try {
    const auto newest = node.call(api::workflow_show, {{"name", name}}).at("workflow").at("version");
    const auto open = node.call(api::task_count, {{"workflow", name}, {"states", open_states}}).at("count");
    std::cout << "at the node: newest version " << newest << "; tasks that have not ended: " << open
              << ", which go on with the version that they began with\n";
  } catch (const client_error& e) {
    if (e.why() != client_error::kind::not_found)
      throw;
    std::cout << "the node has no version of it\n";
  }
}

int check_against_node(const workflow_arguments& g) {
  const int code = check(g);
  if (code != done)
    return code;
  auto node = connect(g.node);
  for (const auto& file : g.files) {
    const auto name = register_file(node, g, file, true);
    if (!g.node.json)
      tell_what_is_there(node, name);
  }
  return code;
}

} // namespace

void add_workflow(CLI::App& to, command& chosen) {
  auto* workflow = to.add_subcommand("workflow", "Look at workflows, check and register their files");
  workflow->require_subcommand(1);

  auto l = std::make_shared<workflow_arguments>();
  auto* list_sub = workflow->add_subcommand("list", "All registered workflows");
  add_node_choice(*list_sub, l->node);
  list_sub->footer("Example: steadfast workflow list");
  list_sub->callback([l, &chosen] { chosen = paged(l->node.json, [l] { return list(*l); }); });

  auto s = std::make_shared<workflow_arguments>();
  auto* show_sub = workflow->add_subcommand("show", "The steps of a workflow");
  show_sub->add_option("name", s->name, "Its name")->required()->type_name("WORKFLOW")->check(why_empty, "");
  show_sub->add_option("--workflow-version", s->version, "Its version [the newest]")->type_name("N");
  add_node_choice(*show_sub, s->node);
  show_sub->footer("Example: steadfast workflow show drone_delivery");
  show_sub->callback([s, &chosen] { chosen = paged(s->node.json, [s] { return show(*s); }); });

  auto c = std::make_shared<workflow_arguments>();
  auto* check_sub = workflow->add_subcommand("check", "Check workflow files for mistakes; no node is needed");
  check_sub->add_option("files", c->files, "The files")->required()->type_name("FILE");
  check_sub->add_flag("--against-node", c->against_node,
                      "Also ask the node whether it would accept them, and which of their agents are missing");
  add_node_choice(*check_sub, c->node);
  check_sub->footer("Example: steadfast workflow check config/workflows/drone_delivery.toml");
  check_sub->callback([c, &chosen] { chosen = [c] { return c->against_node ? check_against_node(*c) : check(*c); }; });

  auto r = std::make_shared<workflow_arguments>();
  auto* register_sub =
    workflow->add_subcommand("register", "Register workflows, or new versions of them, in the cluster");
  register_sub->add_option("files", r->files, "Their files")->required()->type_name("FILE");
  register_sub->add_flag("--dry-run", r->dry_run, "Only check whether the node would accept them");
  register_sub->add_option("--why", r->why, "Reason, kept among the alerts")->type_name("TEXT");
  add_node_choice(*register_sub, r->node);
  register_sub->footer(
    "Running tasks keep the version that they began with. Also name the file in the configuration if "
    "the node\nwith the store may ever be set up anew.\n\nExample: steadfast workflow register order.toml");
  register_sub->callback([r, &chosen] { chosen = [r] { return register_all(*r); }; });

  add_simulate(*workflow, chosen);
}

} // namespace steadfast::apps
