#pragma once

#include "apps/terminal/terminal.hpp"
#include "workflow/time/time.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>

// How a task is printed for people, from the JSON that the node answers.

namespace steadfast::apps {

/// "2026-11-21 07:53:43 (3 min 5 s ago)"; "" for null.
std::string moment_text(const nlohmann::json& rfc3339, workflow::instant now);

/// The result of a processed task as JSON, "" if there is none.
std::string result_text(const nlohmann::json& task);

/// The moment, or workflow::unset for null.
workflow::instant instant_of(const nlohmann::json& rfc3339);

/// How much a story shows.
enum class story_detail : std::uint8_t {
  events, ///< no payload, no results
  brief,  ///< long payloads and results are cut, attempts that ended alike in a row are one line
  full,
};

/// Each step, each attempt: when, where, how it ended, what was undone, who did what. `shown` is the answer of
/// task.show.
std::string story_text(const nlohmann::json& shown, workflow::instant now, const terminal& to,
                       story_detail detail = story_detail::brief);

/// One step of it in full, and nothing else.
std::string step_story_text(const nlohmann::json& task, const nlohmann::json& step, workflow::instant now,
                            const terminal& to);

/// Why the task is in its state and what happens next, in words.
std::string explanation_text(const nlohmann::json& shown, workflow::instant now, const terminal& to);

/// The head of a task: its id, workflow and state.
std::string headline(const nlohmann::json& task, const terminal& to);

/// A line `name: value` below a title; nothing without a value.
void print_field(const std::string& name, const std::string& value);

} // namespace steadfast::apps
