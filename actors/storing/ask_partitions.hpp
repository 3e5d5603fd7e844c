#pragma once

#include "actors/protocol/protocols.hpp"
#include "store/joined/joined_pages.hpp"
#include "workflow/task/partition.hpp"

#include <caf/error.hpp>
#include <caf/sec.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

// Questions to several partitions of a store at once.

namespace steadfast::actors {

/// Longer than the time after which a link to a partition gives up.
inline constexpr workflow::span partition_answer_limit{35'000};

/// What became of questions to several partitions, which are answered in any order.
template <class Answer>
struct asked_partitions {
  std::vector<std::optional<Answer>> answers;
  std::size_t unanswered = 0; ///< 0: also after one of them failed
};

/// Asks each of `partitions` the question `question_of(i)`. Either `then` gets all answers, in order of the partitions,
/// or `fail` gets the first error; that is called once, later, by `self`.
template <class Answer, class Self, class QuestionOf, class Then, class Fail>
void ask_each(Self* self, const std::vector<reader_actor>& partitions, QuestionOf question_of, Then then, Fail fail) {
  const auto open = std::make_shared<asked_partitions<Answer>>();
  open->answers.resize(partitions.size());
  open->unanswered = partitions.size();
  for (std::size_t i = 0; i < partitions.size(); ++i)
    ask(self, partitions[i], partition_answer_limit, question_of(i))
      .then(
        [open, i, then](Answer& a) mutable {
          if (open->unanswered == 0)
            return;
          open->answers[i] = std::move(a);
          if (--open->unanswered > 0)
            return;
          std::vector<Answer> all;
          all.reserve(open->answers.size());
          for (auto& x : open->answers)
            all.push_back(*std::move(x));
          then(std::move(all));
        },
        [open, fail](caf::error& why) mutable {
          if (std::exchange(open->unanswered, 0) > 0)
            fail(std::move(why));
        });
}

inline constexpr auto all_rows = std::numeric_limits<std::uint32_t>::max();

/// The incidents that are shown as one together with the one of that number (store::incidents_with).
template <class Self, class Then, class Fail>
void find_incidents_with(Self* self, const std::vector<reader_actor>& partitions, std::uint64_t number, Then then,
                         Fail fail) {
  using page = boxed<store::incident_page>;
  const auto home = workflow::partition_of_number(number, static_cast<std::uint32_t>(partitions.size()));
  auto asked = partitions;
  asked.push_back(partitions[home]); // it may be closed
  const auto last = partitions.size();
  ask_each<page>(
    self, asked,
    [number, last](std::size_t i) {
      return i == last ? list_incidents{number, false, 0, all_rows} : list_incidents{0, true, 0, all_rows};
    },
    [number, then](std::vector<page> all) mutable {
      std::optional<store::incident> itself;
      if (!all.back()->incidents.empty())
        itself = all.back()->incidents.front();
      all.pop_back();
      std::vector<store::incident> open;
      for (const auto& p : all)
        open.insert(open.end(), p->incidents.begin(), p->incidents.end());
      then(store::incidents_with(number, std::move(open), std::move(itself)));
    },
    std::move(fail));
}

/// All bulk acts, also those that are over: an act is open while any part of it is.
template <class Self, class Then, class Fail>
void find_all_bulk_acts(Self* self, const std::vector<reader_actor>& partitions, Then then, Fail fail) {
  using page = boxed<store::bulk_page>;
  ask_each<page>(
    self, partitions,
    [](std::size_t) {
      return list_bulk_acts{0, false, 0, all_rows};
    },
    [then](const std::vector<page>& all) mutable {
      std::vector<workflow::bulk_act> acts;
      for (const auto& p : all)
        acts.insert(acts.end(), p->acts.begin(), p->acts.end());
      then(std::move(acts));
    },
    std::move(fail));
}

} // namespace steadfast::actors
