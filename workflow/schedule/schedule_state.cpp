#include "workflow/schedule/schedule_state.hpp"

#include "workflow/time/time_text.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace steadfast::workflow {

namespace {

constexpr span room_again_after{5000};
constexpr std::array<std::string_view, 6> fate_names{"made", "skipped", "queued", "missed", "refused", "dropped"};

/// One that repeats the note before it takes its place, so that what came before stays to be seen.
void add_note(schedule_state& s, moment_note n) {
  if (!s.notes.empty() && n.fate != moment_fate::made && s.notes.back().fate == n.fate && s.notes.back().text == n.text)
    s.notes.pop_back();
  s.notes.push_back(std::move(n));
  if (s.notes.size() > moment_notes_max)
    s.notes.erase(s.notes.begin());
}

/// Makes its task. False: there is no room; all is as before.
bool make_one(schedule_state& s, instant moment, instant now, const schedule_needs& needs) {
  const auto m = needs.make(s.what, moment);
  if (!m.has_room)
    return false;
  if (m.is_made) {
    s.last_task = m.task.number;
    s.last_id = m.task.id;
    ++s.made;
  }
  add_note(s, {moment, now, m.is_made ? moment_fate::made : moment_fate::refused, m.is_made ? m.task.id : m.why});
  return true;
}

void drop_queued(schedule_state& s, instant now, std::string why) {
  if (s.queued != unset)
    add_note(s, {std::exchange(s.queued, unset), now, moment_fate::dropped, std::move(why)});
}

void put_in_queue(schedule_state& s, instant moment, instant now, const std::string& id) {
  drop_queued(s, now, "a later moment took its place");
  s.queued = moment;
  add_note(s, {moment, now, moment_fate::queued, id});
}

/// Makes its task, and none for the moment that is queued. False: there is no room; all is as before.
bool make_instead(schedule_state& s, instant moment, instant now, const schedule_needs& needs) {
  auto next = s;
  drop_queued(next, now, "a later moment took its place");
  if (!make_one(next, moment, now, needs))
    return false;
  s = std::move(next);
  return true;
}

/// False: there is no room for its task; all is as before.
bool meet(schedule_state& s, instant moment, instant now, const schedule_needs& needs) {
  const auto before = s.what.rule == overlap::allow ? task_before{} : needs.before(s.last_task);
  if (!before.is_open)
    return make_instead(s, moment, now, needs);
  switch (s.what.rule) {
    case overlap::queue:
      if (s.queued != unset)
        add_note(s, {moment, now, moment_fate::skipped, before.id});
      else
        put_in_queue(s, moment, now, before.id);
      break;
    case overlap::cancel:
      needs.cancel(before);                   // it may have been in error, and retried since
      if (!needs.before(s.last_task).is_open) // it had not begun: no end of it is still to come
        return make_instead(s, moment, now, needs);
      put_in_queue(s, moment, now, before.id);
      break;
    default: add_note(s, {moment, now, moment_fate::skipped, before.id});
  }
  return true;
}

/// The one that was queued has its turn when the task before is over. False: there is no room.
bool serve_queued(schedule_state& s, instant now, const schedule_needs& needs) {
  if (s.queued == unset || (s.what.rule != overlap::allow && needs.before(s.last_task).is_open))
    return true;
  if (!make_one(s, s.queued, now, needs))
    return false;
  s.queued = unset;
  return true;
}

void look_again(schedule_state& s) {
  const auto next = next_moment(s.what, s.settled_until);
  s.next_at = s.paused_by.empty() && next ? start_of(s.what, *next) : never;
}

} // namespace

std::string_view to_string(moment_fate x) {
  const auto i = static_cast<std::size_t>(x) - 1;
  return i < fate_names.size() ? fate_names.at(i) : "?";
}

schedule_state begun(const schedule& s, std::string file, instant now, const schedule_state* before) {
  schedule_state next = before != nullptr ? *before : schedule_state{};
  const bool is_same = before != nullptr && has_same_times(before->what, s);
  next.what = s;
  next.file = std::move(file);
  if (!is_same) {
    next.settled_until = now;
    drop_queued(next, now, "the schedule has other moments now");
  }
  look_again(next);
  if (is_same && before->next_at < next.next_at && before->queued != unset)
    next.next_at = before->next_at; // its turn has come
  return next;
}

void serve(schedule_state& s, instant now, const schedule_needs& needs) {
  const auto no_room = [&s, now] { s.next_at = now + room_again_after; };
  auto due = moments_due(s.what, s.settled_until, now);
  const bool is_paused = !s.paused_by.empty();
  const bool is_queued_replaced = !is_paused && s.what.rule == overlap::cancel && !due.served.empty();
  if (!is_queued_replaced && !serve_queued(s, now, needs))
    return no_room();
  if (is_paused)
    return look_again(s);
  if (s.what.rule == overlap::cancel && due.served.size() > 1) { // none but the last would go on
    due.missed_from = due.missed_from == unset ? due.served.front() : due.missed_from;
    due.missed_to = due.served.back() - span{1};
    due.served = {due.served.back()};
  }
  if (due.missed_from != unset) {
    const auto second = next_moment(s.what, due.missed_from);
    const bool is_one = !second || *second > due.missed_to;
    const auto end = due.served.empty() ? now : due.served.front();
    add_note(s, {due.missed_from, now, moment_fate::missed,
                 is_one ? std::string{} : "and those after it, before " + utc_seconds_text(end)});
    s.settled_until = due.missed_to;
  }
  for (const auto moment : due.served) {
    if (!meet(s, moment, now, needs))
      return no_room();
    s.settled_until = moment;
  }
  s.settled_until = std::max(s.settled_until, due.until);
  look_again(s);
}

bool serve_now(schedule_state& s, instant now, const schedule_needs& needs) {
  if (s.what.rule != overlap::cancel && !serve_queued(s, now, needs)) // the older moment has its turn first
    return false;
  return meet(s, now, now, needs);
}

void pause(schedule_state& s, std::string who, std::string why, instant now) {
  s.paused_by = std::move(who);
  s.paused_why = std::move(why);
  s.paused_at = now;
  drop_queued(s, now, "the schedule was paused");
  if (const auto first = next_moment(s.what, s.settled_until); first && *first <= now) { // nobody came to meet it yet
    const auto second = next_moment(s.what, *first);
    add_note(s, {*first, now, moment_fate::missed,
                 second && *second <= now ? "and those after it: the schedule was paused first"
                                          : "the schedule was paused first"});
    s.settled_until = now;
  }
  look_again(s);
}

void resume(schedule_state& s, instant now) {
  s.paused_by.clear();
  s.paused_why.clear();
  s.paused_at = unset;
  s.settled_until = now;
  look_again(s);
}

bool note_end(schedule_state& s, std::uint64_t task, instant at) {
  if (s.queued == unset || s.last_task != task)
    return false;
  s.next_at = std::min(s.next_at, at);
  return true;
}

std::vector<instant> next_starts(const schedule_state& s, instant now, std::size_t max) {
  const auto from = s.paused_by.empty() ? s.settled_until : std::max(s.settled_until, now);
  std::vector<instant> found;
  for (auto m = next_moment(s.what, from); m && found.size() < max; m = next_moment(s.what, *m))
    found.push_back(start_of(s.what, *m));
  return found;
}

} // namespace steadfast::workflow
