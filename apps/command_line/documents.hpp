#pragma once

#include <string>
#include <string_view>

namespace steadfast::apps {

/// Throws failure when there is no such file, or it is a folder.
void require_file(const std::string& file);

/// The bytes of a file, or of standard input for "-". Throws failure.
std::string read_document(const std::string& file);

/// Throws failure, with the place of the mistake, when the text is not JSON. `what` begins the sentence: "the payload".
void require_json(std::string_view text, const std::string& what);

} // namespace steadfast::apps
