// The short texts that people type and nodes tell each other: moments, durations, sizes, addresses, filters, node
// cards. What is taken is printed and read back as the same.

#include "apps/command_line/filter.hpp"
#include "apps/terminal/failure.hpp"
#include "apps/terminal/terminal.hpp"
#include "runtime/text/address.hpp"
#include "runtime/text/quantity.hpp"
#include "runtime/text/time_text.hpp"
#include "tests/fuzz/support/fuzz.hpp"
#include "workflow/definition/definition.hpp"
#include "workflow/supervision/node_card.hpp"
#include "workflow/text/name.hpp"
#include "workflow/time/time_text.hpp"

#include <nlohmann/json.hpp>

using namespace steadfast;

namespace {

constexpr workflow::instant now{workflow::span{1'700'000'000'000}};

void try_moment(std::string_view text) {
  const auto moment = parse_utc(text);
  if (!moment)
    return;
  const auto printed = utc_text(*moment);
  fuzz::expect(parse_utc(printed) == moment, "a moment is read as it is printed", printed);
  fuzz::expect(*moment <= workflow::instant_max, "a moment lies before the year 10000", printed);
  fuzz::expect(!relative_text(*moment, now).empty() && !local_text(*moment).empty(), "a moment can be shown");
}

void try_quantities(std::string_view text) {
  if (const auto span = runtime::parse_span(text)) {
    fuzz::expect(*span >= workflow::span{0} && *span <= workflow::span_max, "a duration is at most ten years");
    fuzz::expect(runtime::parse_span(runtime::span_text(*span)) == span, "a duration is read as it is printed");
  }
  if (const auto size = runtime::parse_size(text))
    fuzz::expect(runtime::parse_size(runtime::size_text(*size)) == size, "a size is read as it is printed");
}

void try_address(std::string_view text) {
  const auto a = runtime::parse_address(text);
  if (!a)
    return;
  fuzz::expect(!a->host.empty() && a->port != 0, "an address has a host and a port");
  const auto host = a->host.find(':') == std::string::npos ? a->host : "[" + a->host + "]";
  const auto again = runtime::parse_address(host + ":" + std::to_string(a->port));
  fuzz::expect(again && again->host == a->host && again->port == a->port, "an address is read as it is printed", host);
  runtime::is_loopback(*a);
}

void try_filter(std::string_view text) {
  try {
    const auto params = apps::parse_where(text, now);
    fuzz::expect(params.is_object(), "a filter becomes parameters");
  } catch (const apps::failure& e) {
    fuzz::expect(e.code() == apps::wrong_usage && std::string_view{e.what()}.starts_with("--where"),
                 "a mistake names the option", e.what());
  }
}

void try_card(std::string_view text) {
  const auto card = workflow::card_of("node/n", text);
  if (!card)
    return;
  const auto printed = workflow::note_of(*card);
  fuzz::expect(workflow::card_of("node/n", printed) == card, "a card is read as it is printed", printed);
}

void try_quoted(std::string_view text) {
  const auto shown = workflow::quoted(text);
  fuzz::expect(shown.size() <= 80 && apps::printable(shown) == shown, "a quoted text is safe to show", shown);
  const auto clipped = workflow::clipped(text, 64);
  fuzz::expect(clipped.size() <= 64 && text.starts_with(clipped), "a clipped text is its beginning");
}

} // namespace

void fuzz::try_input(std::string_view input) {
  try_moment(input);
  try_quantities(input);
  try_address(input);
  try_filter(input);
  try_card(input);
  try_quoted(input);
}
