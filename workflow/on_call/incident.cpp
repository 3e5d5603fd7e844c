#include "workflow/on_call/incident.hpp"

#include "workflow/calling/circuit_text.hpp"
#include "workflow/text/name.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace steadfast::workflow {

namespace {

constexpr std::string_view placeholder = "#";
constexpr std::string_view quoted_placeholder = "\"#\"";

/// Members of a JSON answer that say why.
constexpr std::array<std::string_view, 8> telling_members{"error",  "code",  "message", "reason",
                                                          "detail", "title", "type",    "status"};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Of what ids, times, addresses and paths are made.
bool is_of_word(char c) {
  return is_digit(c) || is_letter(c) || (static_cast<unsigned char>(c) & 0x80U) != 0
         || std::string_view{"_-.:/@+%&=?"}.find(c) != std::string_view::npos;
}

bool is_id(std::string_view word) {
  return std::any_of(word.begin(), word.end(), is_digit) || word.find('@') != std::string_view::npos;
}

bool ends_with_status_word(std::string_view out) {
  return out.ends_with("HTTP ") || out.ends_with("exit code ") || out.ends_with("signal ");
}

std::size_t end_of_word(std::string_view text, std::size_t begin) {
  auto end = begin;
  while (end < text.size() && is_of_word(text[end]))
    ++end;
  while (end > begin + 1 && std::string_view{".:?"}.find(text[end - 1]) != std::string_view::npos)
    --end; // the end of a sentence, or of what introduces the next
  return end;
}

/// Where the text that begins behind the quote ends; none when the quote is left open.
std::optional<std::size_t> end_of_quoted(std::string_view text, std::size_t begin) {
  for (auto i = begin + 1; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == text[begin])
      return i;
  }
  return std::nullopt;
}

/// An apostrophe within a word opens no quote.
bool opens_quote(std::string_view text, std::size_t i) {
  return text[i] == '"' || (text[i] == '\'' && (i == 0 || !is_letter(text[i - 1])));
}

class generalization {
public:
  explicit generalization(std::string_view text) : text_{text} {}

  std::string run() {
    while (at_ < text_.size() && out_.size() <= cause_size_max)
      take();
    while (out_.ends_with(' '))
      out_.pop_back();
    return clipped(out_, cause_size_max);
  }

private:
  void take() {
    if (opens_quote(text_, at_))
      if (const auto end = end_of_quoted(text_, at_))
        return take_quoted(*end);
    if (is_of_word(text_[at_]))
      return take_word();
    add(std::string_view{text_}.substr(at_++, 1));
  }

  void take_word() {
    const auto end = end_of_word(text_, at_);
    const auto word = text_.substr(at_, end - at_);
    add(is_id(word) && !ends_with_status_word(out_) ? placeholder : word);
    at_ = end;
  }

  void take_quoted(std::size_t end) {
    const auto inside = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    const auto next = text_.find_first_not_of(' ', at_);
    if (next != std::string_view::npos && text_[next] == ':' && is_name(inside)) { // a member's name
      member_ = inside;
      add("\"" + std::string{inside} + "\"");
      return;
    }
    const bool tells = std::find(telling_members.begin(), telling_members.end(), member_) != telling_members.end();
    member_ = {};
    add(tells ? "\"" + generalization{inside}.run() + "\"" : std::string{quoted_placeholder});
  }

  /// Runs of blanks are one, and so are lists of ids, however long.
  void add(std::string_view what) {
    if (what == " " && (out_.empty() || out_.ends_with(' ')))
      return;
    if (what == placeholder && out_.ends_with("#, ")) {
      out_.resize(out_.size() - 2);
      return;
    }
    out_ += what == "\n" || what == "\t" || what == "\r" ? " " : what;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string out_;
  std::string_view member_; ///< whose value comes next
};

/// The step that the alert is about.
std::optional<std::size_t> step_of(const alert& a, const task& t, const definition& d) {
  if (!a.step.empty())
    return find_step(d, a.step);
  for (std::size_t i = 0; i < t.steps.size(); ++i)
    if (a.kind == "undo_failed" ? t.steps[i].state == step_state::compensation_failed
                                : a.text.find("step `" + d.steps[i].name + "`") != std::string::npos)
      return i;
  return std::nullopt;
}

bool is_about_undo(const step& s) {
  return s.state == step_state::compensating || s.state == step_state::compensation_failed;
}

std::string_view cause_of(const alert& a, const step& s) {
  const auto& said = a.kind == "waiting" ? s.waiting_for : s.error;
  const bool is_told = !said.empty() && (a.kind == "undo_failed" || a.text.find(said) != std::string::npos);
  return is_told ? without_circuit(said) : std::string_view{a.text};
}

} // namespace

std::string generalized(std::string_view cause) {
  return generalization{cause}.run();
}

incident_signature signature_of(const alert& a, const task* t, const definition* d) {
  incident_signature s;
  s.kind = a.kind;
  s.step = a.step;
  if (t == nullptr || d == nullptr) {
    s.cause = generalized(a.text);
    return s;
  }
  s.workflow = t->workflow;
  const auto i = step_of(a, *t, *d);
  if (!i) {
    s.cause = generalized(a.text);
    return s;
  }
  const auto& sd = d->steps[*i];
  s.step = sd.name;
  s.agent = is_about_undo(t->steps[*i]) && sd.compensation ? sd.compensation->agent : sd.agent;
  s.cause = generalized(cause_of(a, t->steps[*i]));
  return s;
}

bool is_in_trouble(const task& t) {
  bool is = t.state == process_state::error || t.steps.any<step_mark::undo_failed>();
  t.steps.each<step_mark::burdened>([&](std::size_t i) { is = is || t.steps[i].wait_alerted; });
  return is;
}

bool is_about_present_state(const alert& a) {
  return a.kind == "error" || a.kind == "set_aside" || a.kind == "undo_failed" || a.kind == "waiting";
}

bool still_holds(const alert& a, const task& t, const definition& d) {
  const auto i = a.step.empty() ? std::nullopt : find_step(d, a.step);
  if (a.kind == "waiting")
    return i && t.steps[*i].wait_alerted;
  if (a.kind == "undo_failed" && i)
    return t.steps[*i].state == step_state::compensation_failed;
  return t.state == process_state::error;
}

instant last_changed_at(const task& t) {
  instant last = std::max(t.submitted_at, t.ended_at);
  for (const auto& s : t.steps)
    if (!s.log.empty())
      last = std::max({last, s.log.back().started_at, s.log.back().ended_at});
  return t.acts.empty() ? last : std::max(last, t.acts.back().at);
}

bool goes_on(instant closed_at, instant now) {
  return closed_at != unset && now - closed_at <= incident_reopens_within;
}

} // namespace steadfast::workflow
