#pragma once

#include <string>

namespace steadfast::apps {

/// That this program was built from, with "-dirty" behind it if something was changed; "unknown" where there was no
/// git.
extern const char* const commit;

/// What --version says: the version, and what tells whether two programs understand each other and each other's stores.
std::string version_text();

} // namespace steadfast::apps
