// A node's configuration: any text is either refused with the places of its mistakes, or says what can be used.

#include "runtime/configuration/config_file.hpp"

#include "runtime/text/quantity.hpp"
#include "runtime/toml/config_error.hpp"
#include "tests/fuzz/support/complaints.hpp"
#include "tests/fuzz/support/fuzz.hpp"
#include "tests/fuzz/support/scratch.hpp"

#include <algorithm>

using namespace steadfast;

namespace {

const std::string file_name = "node.toml";

void check_span(workflow::span s) {
  fuzz::expect(runtime::parse_span(runtime::span_text(s)) == s, "a duration is read as it is printed");
}

void check_size(std::uint64_t bytes) {
  fuzz::expect(runtime::parse_size(runtime::size_text(bytes)) == bytes, "a size is read as it is printed");
}

void check_accepted(const parsed_config& parsed) {
  const auto& o = parsed.options;
  fuzz::expect(problems(o).empty(), "what is accepted has no problems");
  fuzz::expect(
    std::includes(parsed.keys_known.begin(), parsed.keys_known.end(), parsed.keys_seen.begin(), parsed.keys_seen.end()),
    "every key that was seen is known");
  for (const auto s :
       {o.supervisor_period, o.supervisor_slack, o.supervisor_lease.ttl, o.cluster.lease.ttl, o.drain_limit})
    check_span(s);
  for (const auto& a : o.agents)
    check_span(a.common.call_limit);
  check_size(o.store.size_max);
  check_size(o.store.size_reserve);
  check_size(o.store.journal_max);
}

/// The reader that only looks for the places finds the same ones.
void check_places(std::string_view text, const node_options& o) {
  const auto path = fuzz::scratch_file(file_name, text);
  const auto places = places_in_config(path);
  const auto here = path.parent_path();
  const auto under = [&here](const std::filesystem::path& p) {
    return p.empty() || p.is_absolute() ? p : (here / p).lexically_normal();
  };
  fuzz::expect(places.store == under(o.store.path), "both readers find the same store", places.store.string());
  fuzz::expect(places.socket == under(o.socket), "both readers find the same socket", places.socket.string());
}

} // namespace

void fuzz::try_input(std::string_view input) {
  try {
    const auto parsed = parse_config(input, file_name);
    check_accepted(parsed);
    check_places(input, parsed.options);
  } catch (const runtime::config_error& e) {
    check_complaints(e, input, file_name);
  }
}
