#pragma once

#include <string>

namespace steadfast::runtime {

/// The API as an OpenAPI 3.1 document, made from the tables of methods and routes.
std::string openapi_document(const std::string& version);

} // namespace steadfast::runtime
