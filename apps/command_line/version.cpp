#include "apps/command_line/version.hpp"

#include "runtime/links/protocol.hpp"
#include "store/lmdb/schema.hpp"

namespace steadfast::apps {

std::string version_text() {
  return std::string{"steadfast " STEADFAST_VERSION "\ncommit "} + commit + "\nformat "
         + std::to_string(store::store_format) + "\nprotocol " + runtime::protocol;
}

} // namespace steadfast::apps
