// The table of methods: that it is sound, and that docs/control-channel.md says what it says.

#include "api/methods.hpp"
#include "api/names.hpp"
#include "workflow/on_call/bulk_act.hpp"
#include "workflow/on_call/finding.hpp"
#include "workflow/task/task.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>

using namespace steadfast;

namespace {

using names = std::set<std::string>;

/// A row of the page's table.
struct row {
  std::string parameters;
  std::string result;
};

std::map<std::string, row> rows_of_page() {
  std::ifstream in{std::string{STEADFAST_SOURCE_DIR} + "/docs/control-channel.md"};
  const std::regex cells{R"(\| `([a-z._]+)` \|(.*) \|(.*) \|)"};
  std::map<std::string, row> rows;
  std::smatch found;
  for (std::string line; std::getline(in, line);)
    if (std::regex_match(line, found, cells)) {
      INFO(line);
      CHECK(rows.emplace(found[1], row{found[2], found[3]}).second);
    }
  return rows;
}

/// What stands between backticks and looks like a name.
names named_in(const std::string& text) {
  static const std::regex name{"`([a-z_]+)`"};
  names all;
  for (std::sregex_iterator i{text.begin(), text.end(), name}, end; i != end; ++i)
    all.insert((*i)[1]);
  return all;
}

/// The parameters that the page gives a method: not what stands in brackets, and the filter by its name.
names parameters_on_page(const row& r) {
  auto all = named_in(std::regex_replace(r.parameters, std::regex{R"(\([^)]*\))"}, ""));
  if (r.parameters.find("the filter") != std::string::npos || r.parameters.find("the same filter") != std::string::npos)
    for (const auto& p : api::task_filter())
      all.insert(p.name);
  return all;
}

/// Those in bold.
names required_on_page(const row& r) {
  static const std::regex name{R"(\*\*`([a-z_]+)`\*\*)"};
  names all;
  for (std::sregex_iterator i{r.parameters.begin(), r.parameters.end(), name}, end; i != end; ++i)
    all.insert((*i)[1]);
  return all;
}

/// "0 to 9", "from 1"; empty: any number may be.
std::string bounds_of(const api::parameter& p) {
  const api::parameter any;
  if (p.is != api::kind::number || (p.min == any.min && p.max == any.max))
    return {};
  return p.max == any.max ? "from " + std::to_string(p.min) : std::to_string(p.min) + " to " + std::to_string(p.max);
}

/// What stands in brackets behind the name, if it begins with bounds.
std::string bounds_on_page(const row& r, const std::string& name) {
  const std::regex behind{"`" + name + R"(`(?:\*\*)? \((from \d+|\d+ to \d+)[;)])"};
  std::smatch found;
  return std::regex_search(r.parameters, found, behind) ? found[1].str() : std::string{};
}

/// Whoever reads a help text or the OpenAPI document sees it without what is around it in the table.
bool stands_alone(const std::string& meaning) {
  static const std::regex rest{"(of|that|likewise|also|its (name|number)$)\\b.*"};
  return !meaning.empty() && !std::regex_match(meaning, rest);
}

} // namespace

TEST_CASE("each method and each parameter has a name of its own and says what it means") {
  names seen;
  for (const auto& m : api::methods()) {
    INFO(m.name);
    CHECK(seen.insert(m.name).second);
    CHECK_FALSE(m.meaning.empty());
    names parameters;
    for (const auto& p : m.parameters) {
      INFO(p.name);
      CHECK(parameters.insert(p.name).second);
      CHECK(stands_alone(p.meaning));
    }
  }
}

TEST_CASE("each schema has a name of its own, some field is one, and it says what it and its fields mean") {
  names seen;
  names used{"problem", "caller", "batch_result", "task_event", "change_event", "gap_event"}; // of no method
  const auto look_at = [&](const std::vector<api::field>& fields) {
    names of_it;
    for (const auto& f : fields) {
      INFO(f.name);
      CHECK(of_it.insert(f.name).second);
      CHECK((f.meaning.empty() ? !f.of.empty() : stands_alone(f.meaning)));
      if (f.of.empty())
        continue;
      used.insert(f.of);
      const bool is_of_texts = f.is == api::kind::text || f.is == api::kind::texts;
      CHECK((is_of_texts || f.is == api::kind::object || f.is == api::kind::list));
      CHECK(api::schema_of(f.of).texts.empty() != is_of_texts);
    }
  };
  for (const auto& s : api::schemas()) {
    INFO(s.name);
    CHECK(seen.insert(s.name).second);
    CHECK_FALSE(s.meaning.empty());
    CHECK(s.fields.empty() != s.texts.empty());
    look_at(s.fields);
  }
  for (const auto& m : api::methods()) {
    INFO(m.name);
    look_at(m.result);
  }
  CHECK(used == seen);
}

TEST_CASE("what counts where nothing is given would be taken if it were given") {
  for (const auto& m : api::methods())
    for (const auto& p : m.parameters) {
      INFO(m.name << " " << p.name);
      if (p.absent.is_number()) {
        CHECK((p.is == api::kind::number || p.is == api::kind::place));
        CHECK(p.absent.get<std::int64_t>() >= p.min);
        CHECK(p.absent.get<std::uint64_t>() <= p.max);
      }
      CHECK((p.is != api::kind::flag || p.absent == false));
      CHECK((!p.absent.is_string() || p.is == api::kind::text));
    }
}

TEST_CASE("a page has at least an entry and at most a thousand, of whatever list") {
  for (const auto& m : api::methods())
    if (const auto* max = m.find("max")) {
      INFO(m.name);
      CHECK(max->min == 1);
      CHECK(max->max == 1000);
      const auto usual = m.name == api::actor_show ? 20 : m.name == api::workflow_list ? 1000 : 100;
      CHECK(max->absent == usual);
    }
}

TEST_CASE("whoever acts says who it is, and may say why, with a bound") {
  for (const auto& m : api::methods()) {
    INFO(m.name);
    for (const auto* name : {"who", "why"})
      if (const auto* p = m.find(name))
        CHECK(p->size_max == workflow::note_size_max);
    if (m.find("why") != nullptr) {
      REQUIRE(m.find("who") != nullptr);
      CHECK(m.find("who")->is_required);
    }
  }
}

TEST_CASE("the choices of the table are those that the rules know") {
  for (const auto& act : api::method_of(api::task_act).find("act")->choices)
    CHECK(workflow::parse_task_act(act));
  for (const auto& order : api::method_of(api::task_list).find("sort")->choices)
    CHECK(workflow::parse_task_order(order));
  for (const auto& by : api::method_of(api::task_count).find("by")->choices)
    CHECK(workflow::parse_task_grouping(by));
  const auto& states = api::method_of(api::task_list).find("states")->choices;
  CHECK(states.size() == 7);
  for (const auto& state : states)
    CHECK(workflow::parse_process_state(state));
}

TEST_CASE("the page has each method of the table with its parameters and its result, and no other") {
  const auto rows = rows_of_page();
  names on_page;
  for (const auto& [name, r] : rows)
    on_page.insert(name);
  names in_table;
  for (const auto& m : api::methods())
    in_table.insert(m.name);
  CHECK(on_page == in_table);
  for (const auto& m : api::methods()) {
    const auto found = rows.find(m.name);
    if (found == rows.end())
      continue;
    INFO(m.name);
    const auto known = m.parameter_names();
    CHECK(parameters_on_page(found->second) == names{known.begin(), known.end()});
    const auto results = named_in(found->second.result);
    for (const auto& f : m.result) {
      INFO(f.name);
      CHECK((results.count(f.name) == 1 || found->second.result.find("the same") != std::string::npos));
    }
  }
}

TEST_CASE("the page says which parameters must be given, and the bounds of numbers and texts") {
  const auto rows = rows_of_page();
  for (const auto& m : api::methods()) {
    INFO(m.name);
    names required;
    for (const auto& p : m.parameters) {
      INFO(p.name);
      if (p.is_required)
        required.insert(p.name);
      CHECK(bounds_on_page(rows.at(m.name), p.name) == bounds_of(p));
      CHECK((p.size_max == api::parameter{}.size_max || p.name == "who" || p.name == "why"));
    }
    CHECK(required_on_page(rows.at(m.name)) == required);
  }
  std::ifstream in{std::string{STEADFAST_SOURCE_DIR} + "/docs/control-channel.md"};
  const std::string page{std::istreambuf_iterator<char>{in}, {}};
  CHECK_THAT(page, Catch::Matchers::Contains("`who` and `why` may have " + std::to_string(workflow::note_size_max)));
}

TEST_CASE("the page has each error by its number") {
  std::ifstream in{std::string{STEADFAST_SOURCE_DIR} + "/docs/control-channel.md"};
  const std::string page{std::istreambuf_iterator<char>{in}, {}};
  using code = api::error;
  for (const int number :
       {code::invalid_params, code::fault, code::refused, code::busy, code::timed_out, code::not_found})
    CHECK_THAT(page, Catch::Matchers::Contains(std::to_string(number)));
}
