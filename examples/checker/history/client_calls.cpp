#include "examples/checker/history/client_calls.hpp"

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
  const auto only_if = [](bool holds, const state& next) { return holds ? std::optional{next} : std::nullopt; };
  const state told{c.holder, c.epoch};
  switch (c.what) {
    case lease_call::kind::acquired: return only_if(s.holder == 0 && c.epoch > s.epoch, told);
    case lease_call::kind::released: return only_if(s.holder == c.holder, {0, s.epoch});
    case lease_call::kind::seen:
      return only_if(c.epoch > s.epoch || (c.epoch == s.epoch && (c.holder == s.holder || c.holder == 0)), told);
  }
  return std::nullopt;
}

} // namespace checker
