#include "workflow/task/task.hpp"
#include "workflow/text/name.hpp"

namespace steadfast::workflow {

std::vector<std::string> problems(const submission& s, std::size_t payload_size_max) {
  const std::string word = "1 to " + std::to_string(task_id_size_max) + " printable characters without spaces";
  std::vector<std::string> found;
  if (!is_word(s.id, task_id_size_max))
    found.push_back("id must be " + word);
  if (!is_name(s.workflow))
    found.push_back("workflow must be " + std::string{name_rule});
  if (s.payload.size() > payload_size_max)
    found.push_back("payload has " + std::to_string(s.payload.size()) + " bytes, the limit is "
                    + std::to_string(payload_size_max));
  if (!is_text(s.content_type, task_id_size_max))
    found.push_back("content_type must be 1 to " + std::to_string(task_id_size_max) + " printable characters");
  if (s.priority && *s.priority > priority_max)
    found.push_back("priority must be at most " + std::to_string(priority_max));
  if (s.not_before < unset || s.not_before > instant_max)
    found.push_back("not_before must lie between the years 1970 and 9999");
  if (s.debounce < span{0} || s.debounce > debounce_max)
    found.push_back("debounce must be at most a day");
  if (s.debounce > span{0} && s.conflict != on_conflict::replace)
    found.push_back("debounce means that the task is replaced; no other on_conflict goes with it");
  if (!s.reply_to.empty() && !is_word(s.reply_to, task_id_size_max))
    found.push_back("reply_to must be empty or " + word);
  return found;
}

} // namespace steadfast::workflow
