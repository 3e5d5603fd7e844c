#include "examples/services/requests/fields.hpp"

#include <sstream>

namespace services {

namespace {

constexpr std::size_t text_size_max = 200;
constexpr std::size_t list_size_max = 100;

const json nothing;

std::string in_words(double number) {
  std::ostringstream out;
  out << number;
  return out.str();
}

} // namespace

const json& fields::member(const std::string& name) const {
  const auto found = body_.find(name);
  return found == body_.end() ? nothing : *found;
}

void fields::refuse(const std::string& name, const std::string& why) {
  if (are_good())
    first_ = {name, "field `" + name + "` " + why};
}

std::string fields::text(const std::string& name) {
  const auto& value = member(name);
  if (value.is_string() && !value.get_ref<const std::string&>().empty()
      && value.get_ref<const std::string&>().size() <= text_size_max)
    return value.get<std::string>();
  refuse(name, "must be a text of 1 to " + std::to_string(text_size_max) + " bytes");
  return {};
}

std::string fields::text_or_nothing(const std::string& name) {
  return member(name).is_null() ? std::string{} : text(name);
}

double fields::number(const std::string& name, double above, double at_most) {
  const auto& value = member(name);
  if (value.is_number() && value.get<double>() > above && value.get<double>() <= at_most)
    return value.get<double>();
  refuse(name, "must be a number above " + in_words(above) + " and at most " + in_words(at_most));
  return 0;
}

const json& fields::list(const std::string& name) {
  static const json none = json::array();
  const auto& value = member(name);
  if (value.is_array() && !value.empty() && value.size() <= list_size_max)
    return value;
  refuse(name, "must be a list of 1 to " + std::to_string(list_size_max) + " elements");
  return none;
}

} // namespace services
