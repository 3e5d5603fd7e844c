#include "runtime/toml/config_error.hpp"
#include "runtime/toml/secret_file.hpp"
#include "runtime/toml/toml_file.hpp"

#include <cstdlib>

namespace steadfast::runtime {
namespace {

std::optional<secret> from_environment(toml_section& at, const std::string& place, std::size_t line,
                                       const std::string& name) {
  if (const char* value = std::getenv(name.c_str()))
    return secret{value};
  at.report().add(line, place, "the environment variable " + name + " is not set");
  return std::nullopt;
}

std::optional<secret> from_file(toml_section& at, const std::string& place, std::size_t line,
                                const std::filesystem::path& path) {
  if (const auto refused = why_no_secret(path); !refused.empty()) {
    at.report().add(line, place, refused);
    return std::nullopt;
  }
  try {
    return secret{read_secret_file(path)};
  } catch (const config_error& e) {
    at.report().add(line, place, e.what());
    return std::nullopt;
  }
}

} // namespace

std::optional<secret> read_secret(toml_section& at, std::string_view key, const toml::table& where) {
  const auto place = at.place_of(key);
  const auto line = where.source().begin.line;
  const auto env = where["env"].value_exact<std::string>();
  const auto file = where["file"].value_exact<std::string>();
  if (where.size() == 1 && env)
    return from_environment(at, place, line, *env);
  if (where.size() == 1 && file)
    return from_file(at, place, line, at.report().folder() / *file);
  at.report().add(line, place, "must be a text, { env = \"NAME\" } or { file = \"path\" }");
  return std::nullopt;
}

} // namespace steadfast::runtime
