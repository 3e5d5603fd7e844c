#include "runtime/toml/toml_json.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace steadfast::runtime {
namespace {

using nlohmann::json;

std::optional<json> json_of(const toml::node& n);

std::optional<json> json_of(const toml::table& t) {
  auto all = json::object();
  for (const auto& [key, value] : t) {
    auto one = json_of(value);
    if (!one)
      return std::nullopt;
    all[std::string{key.str()}] = std::move(*one);
  }
  return all;
}

std::optional<json> json_of(const toml::array& a) {
  auto all = json::array();
  for (const auto& value : a) {
    auto one = json_of(value);
    if (!one)
      return std::nullopt;
    all.push_back(std::move(*one));
  }
  return all;
}

std::optional<json> json_of(const toml::node& n) {
  if (const auto* t = n.as_table())
    return json_of(*t);
  if (const auto* a = n.as_array())
    return json_of(*a);
  if (const auto* s = n.as_string())
    return json(s->get());
  if (const auto* i = n.as_integer())
    return json(i->get());
  if (const auto* b = n.as_boolean())
    return json(b->get());
  if (const auto* f = n.as_floating_point(); f != nullptr && std::isfinite(f->get()))
    return json(f->get());
  return std::nullopt;
}

} // namespace

std::optional<std::string> json_text_of(const toml::node& value) {
  const auto j = json_of(value);
  return j ? std::optional{j->dump(-1, ' ', false, json::error_handler_t::replace)} : std::nullopt;
}

} // namespace steadfast::runtime
