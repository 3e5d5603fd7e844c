#pragma once

#include <string>
#include <vector>

namespace steadfast::actors {

/// The text with *** for each secret, and for each long word of a secret: "Bearer TOKEN" may come back as TOKEN. Very
/// short secrets are left as they are, otherwise half of the text would be lost.
std::string masked(std::string text, const std::vector<std::string>& secrets);

/// A URL without what may be secret in it: scheme, host and port.
std::string origin_of(const std::string& url);

} // namespace steadfast::actors
