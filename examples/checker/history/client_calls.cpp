#include "examples/checker/history/client_calls.hpp"

#include <algorithm>

namespace checker {

namespace {

id_model::state with_body_of(id_model::state s, const client_call& c) {
  s.body = c.body;
  s.mark = c.mark;
  return s;
}

} // namespace

std::optional<id_model::state> id_model::step(const state& s, const client_call& c) {
  using answer = client_call::answer;
  const auto only_if = [](bool holds, const state& next) { return holds ? std::optional{next} : std::nullopt; };
  const state made{true, c.body, c.mark, c.body, 0, false};
  const bool is_same = s.body == c.body || (c.wish == on_conflict::same && s.first_body == c.body);
  auto next = s;
  switch (c.told) {
    case answer::none:
      if (!s.is_there)
        return made;
      return c.wish == on_conflict::replace && !s.has_begun ? with_body_of(s, c) : s;
    case answer::created: return only_if(!s.is_there, made);
    case answer::there: return only_if(s.is_there && is_same, s);
    case answer::stored: return only_if(!s.is_there || is_same, s.is_there ? s : made);
    case answer::conflict: return only_if(s.is_there && s.body != c.body, s);
    case answer::replaced: return only_if(s.is_there && !s.has_begun, with_body_of(s, c));
    case answer::begun: next.has_begun = true; return only_if(s.is_there && s.body != c.body, next);
    case answer::taken: return only_if(s.is_there, s);
    case answer::absent: return only_if(!s.is_there, s);
    case answer::found: next.revision = c.revision; return only_if(s.is_there && c.revision >= s.revision, next);
    case answer::kept: return only_if(s.is_there && s.mark == c.mark, s);
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
