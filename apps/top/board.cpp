#include "apps/top/board.hpp"

#include "runtime/text/quantity.hpp"

namespace steadfast::apps {

std::size_t cut_rows(board_list& list) {
  std::size_t rest = 0;
  for (; list.rows.size() > list.shown; ++rest) {
    list.rows.erase(list.rows.size() - 1);
    list.items.pop_back();
  }
  return rest;
}

std::string rest_text(const board_list& list, std::size_t rest) {
  return "and " + runtime::counted(rest, "more " + list.rest);
}

std::string board_text(board b, const terminal& to) {
  std::string text = b.head;
  for (auto& list : b.lists) {
    text += "\n" + (list.lead ? list.lead->text + "\n" : "");
    const auto rest = cut_rows(list);
    text += list.rows.empty() ? list.when_empty + "\n" : list.rows.text(to);
    if (rest > 0 && list.says_rest)
      text += rest_text(list, rest) + ": see `" + list.all.name + "`\n";
  }
  return text;
}

} // namespace steadfast::apps
