#include "actors/storing/long_questions.hpp"

#include "actors/storing/pages.hpp"
#include "workflow/on_call/finding.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace steadfast::actors {
namespace {

store::task_filter filter_in(const boxed<store::task_filter>& given) {
  return given ? *given : store::task_filter{};
}

/// Whoever asks: it is held in memory.
constexpr std::size_t page_max = 10'000;
/// Of a page, read at once.
constexpr std::size_t part_max = 1000;

template <class Answer>
class promised : public long_question {
public:
  explicit promised(caf::typed_response_promise<Answer> promise) : promise_{std::move(promise)} {}

  void fail(const caf::error& why) override { promise_.deliver(why); }

protected:
  bool answer(Answer a) {
    promise_.deliver(std::move(a));
    return true;
  }

private:
  caf::typed_response_promise<Answer> promise_;
};

template <class Answer>
class about_tasks : public promised<Answer> {
public:
  about_tasks(store::task_filter filter, caf::typed_response_promise<Answer> promise)
      : promised<Answer>{std::move(promise)},
        filter_{std::move(filter)} {}

protected:
  store::task_filter filter_;
  std::optional<std::uint64_t> before_; ///< where the next part begins
};

/// In the order of their numbers: no more is read than the page needs.
class newest_tasks : public about_tasks<boxed<store::task_page>> {
public:
  newest_tasks(const list_tasks& m, task_page_promise promise)
      : about_tasks{filter_in(m.filter), std::move(promise)},
        max_{std::min<std::size_t>(m.max, page_max)} {
    before_ = position(m.before);
  }

  bool go_on(const store::state_store& store) override {
    auto part = store.list(filter_, before_, std::min(part_max, max_ - page_.tasks.size()));
    page_.tasks.insert(page_.tasks.end(), std::make_move_iterator(part.tasks.begin()),
                       std::make_move_iterator(part.tasks.end()));
    before_ = page_.next = part.next;
    return (!part.next || page_.tasks.size() >= max_) && answer(boxed<store::task_page>{std::move(page_)});
  }

private:
  std::size_t max_;
  store::task_page page_;
};

/// In another order: all that match are read, and the first of them kept.
class sorted_tasks : public about_tasks<boxed<store::task_page>> {
public:
  sorted_tasks(const list_tasks& m, task_page_promise promise)
      : about_tasks{filter_in(m.filter), std::move(promise)},
        order_{static_cast<workflow::task_order>(m.order)},
        is_reversed_{m.is_reversed},
        max_{std::min<std::size_t>(m.max, page_max)} {
    if (m.before != 0)
      after_.emplace(m.before_key, ~m.before);
  }

  bool go_on(const store::state_store& store) override {
    const auto part = store.visit_part(
      filter_, before_, [this](workflow::task&& t, const workflow::definition&) { consider(std::move(t)); });
    before_ = part.next;
    return !part.next && answer(boxed<store::task_page>{page()});
  }

private:
  using place = std::pair<std::string, std::uint64_t>; ///< of equal ones the newest first

  void consider(workflow::task&& t) {
    place at{workflow::order_key(t, order_, is_reversed_), ~t.number};
    if (after_ && at <= *after_)
      return;
    if (first_.size() > max_) { // one more than the page, to know whether there are more
      if (at > std::prev(first_.end())->first)
        return;
      first_.erase(std::prev(first_.end()));
    }
    first_.emplace(std::move(at), std::move(t));
  }

  store::task_page page() {
    store::task_page p;
    for (auto& [at, t] : first_) {
      if (p.tasks.size() == max_)
        return p;
      p.next = first_.size() > max_ ? std::optional{t.number} : std::nullopt;
      p.next_key = p.next ? at.first : std::string{};
      p.tasks.push_back(std::move(t));
    }
    return p;
  }

  workflow::task_order order_;
  bool is_reversed_;
  std::size_t max_;
  std::optional<place> after_;
  std::map<place, workflow::task> first_;
};

class number_of_tasks : public about_tasks<task_count> {
public:
  number_of_tasks(const count_tasks& m, caf::typed_response_promise<task_count> promise)
      : about_tasks{filter_in(m.filter), std::move(promise)},
        limit_{m.limit} {}

  bool go_on(const store::state_store& store) override {
    const auto part = store.count_part(filter_, before_);
    found_ += part.matched;
    before_ = part.next;
    return (!part.next || found_ >= limit_) && answer({std::min(found_, limit_), {}, 0});
  }

private:
  std::uint64_t limit_;
  std::uint64_t found_ = 0;
};

class groups_of_tasks : public about_tasks<task_count> {
public:
  groups_of_tasks(const count_tasks& m, caf::typed_response_promise<task_count> promise)
      : about_tasks{filter_in(m.filter), std::move(promise)},
        by_{static_cast<workflow::task_grouping>(m.by)},
        limit_{m.limit} {}

  bool go_on(const store::state_store& store) override {
    const auto part =
      store.visit_part(filter_, before_, [this](workflow::task&& t, const workflow::definition& d) { add(t, d); });
    before_ = part.next;
    count_.count += part.matched;
    if (part.next && count_.count < limit_)
      return false;
    for (auto& [name, g] : groups_)
      count_.groups.push_back(std::move(g));
    std::stable_sort(count_.groups.begin(), count_.groups.end(),
                     [](const task_group& a, const task_group& b) { return a.count > b.count; });
    return answer(std::move(count_));
  }

private:
  void add(const workflow::task& t, const workflow::definition& d) {
    auto name = workflow::group_of(t, d, by_);
    auto found = groups_.find(name);
    if (found == groups_.end() && groups_.size() >= task_groups_max) {
      ++count_.in_no_group;
      return;
    }
    if (found == groups_.end())
      found =
        groups_.emplace(name, task_group{name, 0, std::vector<std::uint64_t>(states), t.submitted_at, t.submitted_at})
          .first;
    auto& g = found->second;
    ++g.count;
    ++g.states.at(static_cast<std::size_t>(t.state));
    g.oldest = std::min(g.oldest, t.submitted_at);
    g.newest = std::max(g.newest, t.submitted_at);
  }

  static constexpr std::size_t states = 8;

  workflow::task_grouping by_;
  std::uint64_t limit_;
  task_count count_;
  std::map<std::string, task_group> groups_;
};

/// All versions of all.
class all_workflows : public promised<workflow_page> {
public:
  using promised::promised;

  bool go_on(const store::state_store& store) override {
    auto part = store.definitions(reached_, steps_in_part);
    if (part.empty())
      return answer(std::move(page_));
    reached_ = {part.back().name, part.back().version};
    for (auto& d : part)
      page_.definitions.emplace_back(std::move(d));
    return false;
  }

private:
  static constexpr std::size_t steps_in_part = 1000;

  store::state_store::definition_place reached_;
  workflow_page page_;
};

} // namespace

std::unique_ptr<long_question> question_of(const list_tasks& m, task_page_promise promise) {
  if (m.order == 0)
    return std::make_unique<newest_tasks>(m, std::move(promise));
  return std::make_unique<sorted_tasks>(m, std::move(promise));
}

std::unique_ptr<long_question> question_of(const count_tasks& m, caf::typed_response_promise<task_count> promise) {
  if (m.by == 0)
    return std::make_unique<number_of_tasks>(m, std::move(promise));
  return std::make_unique<groups_of_tasks>(m, std::move(promise));
}

std::unique_ptr<long_question> question_of(const list_workflows&, caf::typed_response_promise<workflow_page> promise) {
  return std::make_unique<all_workflows>(std::move(promise));
}

} // namespace steadfast::actors
