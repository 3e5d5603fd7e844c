#pragma once

#include "runtime/http/messages/http_message.hpp"

#include <optional>
#include <string>

namespace steadfast::runtime {

/// The page of the node (docs/page.md): `/`, `/index.html` and `/assets/...`. Nothing: the path is none of these.
/// Whoever asks gets it, for there is nothing of the node in it.
std::optional<http_response> page_of(const std::string& path, bool takes_gzip);

} // namespace steadfast::runtime
