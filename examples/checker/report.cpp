#include "examples/checker/report.hpp"

#include <nlohmann/json.hpp>

#include <iomanip>
#include <sstream>

namespace checker {

namespace {

std::string amounts(const history& h) {
  return std::to_string(h.effects.size()) + " effect lines, " + std::to_string(h.tasks.size()) + " tasks, "
         + std::to_string(h.clients.size()) + " submitted, " + std::to_string(h.alerts.size()) + " with alerts";
}

std::string in_words(std::uint64_t violations) {
  return violations == 0 ? "clean" : std::to_string(violations) + (violations == 1 ? " violation" : " violations");
}

} // namespace

std::string table(const findings& all, const history& h) {
  std::ostringstream out;
  out << "rule  " << std::left << std::setw(66) << "what it says" << std::right << std::setw(10) << "checked"
      << std::setw(12) << "violations\n";
  for (const auto& f : all) {
    out << std::left << std::setw(6) << f.name << std::setw(66) << f.says << std::right;
    if (f.not_checked.empty())
      out << std::setw(10) << f.checked << std::setw(11) << f.violations << '\n';
    else
      out << "  not checked: " << f.not_checked << '\n';
    for (const auto& example : f.examples)
      out << "      - " << example << '\n';
    if (f.violations > f.examples.size())
      out << "      - and " << f.violations - f.examples.size() << " more\n";
  }
  out << "verdict: " << in_words(violations_of(all)) << " (" << amounts(h) << ")\n";
  return out.str();
}

std::string json_text(const findings& all, const history& h) {
  nlohmann::ordered_json rules = nlohmann::ordered_json::array();
  for (const auto& f : all) {
    nlohmann::ordered_json rule{{"rule", f.name},
                                {"says", f.says},
                                {"checked", f.checked},
                                {"violations", f.violations},
                                {"examples", f.examples}};
    if (!f.not_checked.empty())
      rule["not_checked"] = f.not_checked;
    rules.push_back(std::move(rule));
  }
  const nlohmann::ordered_json out{{"clean", violations_of(all) == 0}, {"violations", violations_of(all)},
                                   {"effects", h.effects.size()},      {"tasks", h.tasks.size()},
                                   {"submitted", h.clients.size()},    {"rules", rules}};
  return out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

} // namespace checker
