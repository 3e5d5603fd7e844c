#pragma once

#include "simulation/world/chance.hpp"
#include "workflow/definition/definition.hpp"

#include <string>
#include <vector>

namespace steadfast::simulation {

/// They, and the workflows that are made of their steps over items.
std::vector<workflow::definition> with_those_of_items(std::vector<workflow::definition> all);

// Documents that have a value wherever a workflow looks for one.

/// A payload: every pointer that an input takes from it leads to a value, that of an optional member only now and then.
/// `all`: with the workflows that its steps start. `limit_key`: that its workflow and theirs limit tasks by; empty: one
/// is drawn.
std::string sample_payload(const workflow::definition& d, chance& draw,
                           const std::vector<workflow::definition>& all = {}, const std::string& limit_key = {});

/// The same JSON in other words.
std::string respelled(const std::string& document);

/// A result of that step. A value that a condition reads is drawn: the wanted one, another, or none.
std::string sample_result(const workflow::definition& d, const std::string& step, chance& draw,
                          const std::vector<workflow::definition>& all = {});

} // namespace steadfast::simulation
