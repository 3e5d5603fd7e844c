#pragma once

#include <string>

namespace steadfast::apps {

/// The commit from which this program was built, followed by "-dirty" if something was changed; "unknown" without git.
extern const char* const commit;

/// The text of --version: the version, and what shows whether two programs understand each other and each other's
/// stores.
std::string version_text();

} // namespace steadfast::apps
