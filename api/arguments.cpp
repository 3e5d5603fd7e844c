#include "api/arguments.hpp"

#include "workflow/text/name.hpp"
#include "workflow/text/nearest.hpp"

#include <algorithm>
#include <stdexcept>

namespace steadfast::api {

namespace {

using nlohmann::json;

[[noreturn]] void refuse(const std::string& why) {
  throw error{error::invalid_params, why};
}

[[noreturn]] void refuse(const parameter& p, const std::string& why) {
  throw error{error::invalid_params, "`" + p.name + "` " + why, {}, p.name};
}

bool is_whole_within(const json& v, const parameter& p) {
  const auto fits = [&](auto n) { return std::cmp_greater_equal(n, p.min) && std::cmp_less_equal(n, p.max); };
  if (v.is_number_unsigned())
    return fits(v.get<std::uint64_t>());
  return v.is_number_integer() && fits(v.get<std::int64_t>());
}

void expect_number(const parameter& p, const json& v) {
  if (!is_whole_within(v, p))
    refuse(p, "must be a whole number from " + std::to_string(p.min) + " to " + std::to_string(p.max));
}

/// What follows a zero byte would be cut off without a word: by the system in the name of a file, and in a message.
void expect_whole(const parameter& p, const std::string& text) {
  if (text.find('\0') != std::string::npos)
    refuse(p, "has a zero byte");
}

void expect_choice(const parameter& p, const std::string& text) {
  if (p.choices.empty() || std::find(p.choices.begin(), p.choices.end(), text) != p.choices.end())
    return;
  std::string all;
  for (const auto& choice : p.choices)
    all += (all.empty() ? "" : ", ") + choice;
  throw error{error::invalid_params,
              "`" + p.name + "`: there is no " + workflow::quoted(text) + "; there are " + all,
              {},
              p.name};
}

void expect_text(const parameter& p, const json& v) {
  if (!v.is_string())
    refuse(p, "must be a text");
  expect_whole(p, v.get_ref<const std::string&>());
  if (const auto size = v.get_ref<const std::string&>().size(); size > p.size_max)
    refuse(p, "has " + std::to_string(size) + " bytes and may have " + std::to_string(p.size_max));
  expect_choice(p, v.get_ref<const std::string&>());
}

/// Of a list that has no choices the reader names the wrong entry.
void expect_texts(const parameter& p, const json& v) {
  if (!v.is_array())
    refuse(p, "must be a list of " + p.name);
  if (!p.choices.empty())
    for (const auto& entry : v)
      expect_choice(p, entry.is_string() ? entry.get<std::string>() : entry.dump());
}

void expect_places(const parameter& p, const json& v) {
  const auto is_text = [](const json& x) { return x.is_string(); };
  if (!v.is_object() || !std::all_of(v.begin(), v.end(), is_text))
    refuse(p, "must be an object of places and texts");
  for (const auto& [place, text] : v.items()) {
    expect_whole(p, place);
    expect_whole(p, text.get_ref<const std::string&>());
  }
}

void expect_fit(const parameter& p, const json& v) {
  switch (p.is) {
    case kind::text: return expect_text(p, v);
    case kind::number:
    case kind::moment: return expect_number(p, v);
    case kind::flag:
      if (!v.is_boolean())
        refuse(p, "must be true or false");
      return;
    case kind::texts: return expect_texts(p, v);
    case kind::places: return expect_places(p, v);
    case kind::place: return v.is_string() ? expect_text(p, v) : expect_number(p, v);
    case kind::fraction:
    case kind::value:
    case kind::object:
    case kind::list: return;
  }
}

[[noreturn]] void refuse_unknown(const method& m, const std::string& name) {
  const auto known = m.parameter_names();
  const auto meant = workflow::nearest(name, known);
  std::string all;
  for (const auto& k : known)
    all += (all.empty() ? "; there are " : ", ") + k;
  throw error{error::invalid_params,
              "there is no parameter " + workflow::quoted(name) + (meant ? "; did you mean `" + *meant + "`?" : all),
              {},
              name};
}

void expect_known(const method& m, const json& given) {
  for (const auto& [name, value] : given.items())
    if (m.find(name) == nullptr)
      refuse_unknown(m, name);
}

} // namespace

arguments::arguments(const method& m, const json& given) : method_{&m}, given_{&given} {
  if (!given.is_object())
    refuse("params must be an object");
  expect_known(m, given);
  for (const auto& p : m.parameters)
    if (const auto v = given.find(p.name); v != given.end())
      expect_fit(p, *v);
    else if (p.is_required)
      refuse(p, "is missing");
}

const parameter& arguments::parameter_of(std::string_view name) const {
  const auto* p = method_->find(name);
  if (p == nullptr)
    throw std::logic_error{"method " + method_->name + " has no parameter " + std::string{name}};
  return *p;
}

const json* arguments::found(std::string_view name) const {
  const auto v = given_->find(parameter_of(name).name);
  return v == given_->end() ? nullptr : &*v;
}

const json& arguments::value(std::string_view name) const {
  const auto* v = found(name);
  return v != nullptr ? *v : parameter_of(name).absent;
}

std::string arguments::text(std::string_view name) const {
  const auto& v = value(name);
  return v.is_null() ? std::string{} : v.get<std::string>();
}

bool arguments::flag(std::string_view name) const {
  return value(name).get<bool>();
}

/// A place may be a text in general, but not here.
const json& arguments::number_at(std::string_view name) const {
  if (const auto* v = found(name))
    expect_number(parameter_of(name), *v);
  return value(name);
}

std::int64_t arguments::moment(std::string_view name, std::int64_t absent) const {
  return has(name) ? number<std::int64_t>(name) : absent;
}

void arguments::too_narrow(std::string_view name) {
  throw std::logic_error{"the bounds of parameter " + std::string{name} + " are wider than what it is read as"};
}

} // namespace steadfast::api
