#include "api/method.hpp"

#include <algorithm>
#include <utility>

namespace steadfast::api {

parameter parameter::required() && {
  is_required = true;
  return std::move(*this);
}

parameter parameter::otherwise(nlohmann::json value) && {
  absent = std::move(value);
  return std::move(*this);
}

parameter parameter::between(std::int64_t least, std::uint64_t most) && {
  min = least;
  max = most;
  return std::move(*this);
}

parameter parameter::up_to_bytes(std::size_t most) && {
  size_max = most;
  return std::move(*this);
}

parameter parameter::one_of(std::vector<std::string> names) && {
  choices = std::move(names);
  return std::move(*this);
}

parameter of_kind(kind is, std::string name, std::string meaning) {
  parameter p;
  p.name = std::move(name);
  p.is = is;
  p.meaning = std::move(meaning);
  return p;
}

parameter text(std::string name, std::string meaning) {
  return of_kind(kind::text, std::move(name), std::move(meaning));
}

parameter number(std::string name, std::string meaning) {
  return of_kind(kind::number, std::move(name), std::move(meaning));
}

parameter flag(std::string name, std::string meaning) {
  return of_kind(kind::flag, std::move(name), std::move(meaning)).otherwise(false);
}

parameter moment(std::string name, std::string meaning) {
  return of_kind(kind::moment, std::move(name), std::move(meaning))
    .between(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max());
}

parameter value(std::string name, std::string meaning) {
  return of_kind(kind::value, std::move(name), std::move(meaning));
}

field maybe(field f) {
  f.may_lack = true;
  return f;
}

field or_null(field f) {
  f.may_be_null = true;
  return f;
}

field text_of(std::string name, std::string schema, std::string meaning) {
  return {std::move(name), kind::text, std::move(meaning), false, false, std::move(schema)};
}

field object_of(std::string name, std::string schema, std::string meaning) {
  return {std::move(name), kind::object, std::move(meaning), false, false, std::move(schema)};
}

field list_of(std::string name, std::string schema, std::string meaning) {
  return {std::move(name), kind::list, std::move(meaning), false, false, std::move(schema)};
}

const parameter* method::find(std::string_view parameter_name) const {
  const auto found =
    std::find_if(parameters.begin(), parameters.end(), [&](const parameter& p) { return p.name == parameter_name; });
  return found == parameters.end() ? nullptr : &*found;
}

std::vector<std::string> method::parameter_names() const {
  std::vector<std::string> names;
  names.reserve(parameters.size());
  for (const auto& p : parameters)
    names.push_back(p.name);
  return names;
}

} // namespace steadfast::api
