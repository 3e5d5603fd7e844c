#include "runtime/assembly/caf_text.hpp"

#include "runtime/logging/log.hpp"

#include <caf/actor_ostream.hpp>
#include <caf/actor_system.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/group_manager.hpp>

#include <string>

namespace steadfast {
namespace {

// CAF calls a "file" whose name begins with a colon a group of that name.
constexpr const char* virtual_file = ":steadfast-log";

/// CAF shows an unexpected message with all of its content, payloads too: that is not for the log.
std::string without_content(const std::string& line) {
  const auto name_end = line.starts_with("*** unexpected message") ? line.find(']') : std::string::npos;
  return name_end == std::string::npos ? line : line.substr(0, name_end + 1);
}

} // namespace

caf::actor log_caf_text(caf::actor_system& sys) {
  // Hidden: the end of the system does not wait for it.
  auto writer = sys.spawn<caf::hidden>([](caf::event_based_actor* self) -> caf::behavior {
    self->join(self->system().groups().get_local(virtual_file));
    return {
      [](const std::string&, const std::string& line) { log_line("warning", "actors: " + without_content(line)); }};
  });
  caf::actor_ostream::redirect_all(sys, virtual_file);
  return writer;
}

} // namespace steadfast
