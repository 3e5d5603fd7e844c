#include "examples/checker/client_calls.hpp"

#include <algorithm>

namespace checker {

std::optional<id_model::state> id_model::step(const state& s, const client_call& c) {
  using answer = client_call::answer;
  const auto only_if = [](bool holds, const state& next) { return holds ? std::optional{next} : std::nullopt; };
  const state made{true, c.body, 0};
  switch (c.told) {
    case answer::none: return s.is_there ? s : made;
    case answer::created: return only_if(!s.is_there, made);
    case answer::there: return only_if(s.is_there && s.body == c.body, s);
    case answer::stored: return only_if(!s.is_there || s.body == c.body, s.is_there ? s : made);
    case answer::conflict: return only_if(s.is_there && s.body != c.body, s);
    case answer::absent: return only_if(!s.is_there, s);
    case answer::found: return only_if(s.is_there && c.revision >= s.revision, {true, s.body, c.revision});
  }
  return std::nullopt;
}

std::optional<lease_model::state> lease_model::step(const state& s, const lease_call& c) {
  if (c.is_release)
    return s.holder == c.holder ? std::optional{state{0, s.epoch}} : std::nullopt;
  return s.holder == 0 && c.epoch > s.epoch ? std::optional{state{c.holder, c.epoch}} : std::nullopt;
}

} // namespace checker
