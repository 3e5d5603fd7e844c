// A workflow file: any text is either refused with the places of its mistakes, or is a definition that tasks can be
// made from, that is stored and shown as it is.

#include "runtime/configuration/workflow_file.hpp"

#include "runtime/text/json.hpp"
#include "runtime/toml/config_error.hpp"
#include "store/records/record.hpp"
#include "tests/fuzz/support/complaints.hpp"
#include "tests/fuzz/support/fuzz.hpp"
#include "workflow/task/explain.hpp"
#include "workflow/task/invariants.hpp"
#include "workflow/text/json_text.hpp"
#include "workflow/transition/transition.hpp"

using namespace steadfast;

namespace {

const std::string file_name = "workflow.toml";
constexpr workflow::instant now{workflow::span{1'700'000'000'000}};

void check_stored_and_shown(const workflow::definition& d) {
  fuzz::expect(store::decode<workflow::definition>(store::encode(d)) == d, "a definition is read as it was stored");
  const auto shown = json_line(definition_json(d));
  fuzz::expect(nlohmann::json::accept(shown), "a definition is shown as JSON", shown);
}

/// It is taken by a scheduler, begins, and everything that may follow is decided without a fault.
void check_first_task(const workflow::definition& d) {
  workflow::submission s;
  s.id = "t";
  s.workflow = d.name;
  auto t = workflow::make_task(s, d, now);
  const auto believed = [&] {
    const auto broken = workflow::broken_invariants(t, d);
    fuzz::expect(broken.empty(), "a task keeps its promises", broken.empty() ? "" : broken.front());
  };
  believed();
  for (const workflow::event& e : {workflow::event{workflow::taken{"s"}}, workflow::event{workflow::time_passed{}}}) {
    if (auto change = workflow::apply(t, d, e, now); change.result == workflow::event_status::applied)
      t = std::move(change.next);
    believed();
    workflow::outstanding(t);
    workflow::explain(t, d, now);
  }
}

} // namespace

void fuzz::try_input(std::string_view input) {
  try {
    const auto d = parse_workflow(input, file_name);
    expect(workflow::problems(d).empty(), "what is accepted has no problems");
    check_stored_and_shown(d);
    check_first_task(d);
  } catch (const runtime::config_error& e) {
    check_complaints(e, input, file_name);
  }
}
