#pragma once

#include "store/contract/write.hpp"

#include <string>

// Writes that must act in all partitions of a store or in none, though one of them may refuse what others take.

namespace steadfast::store {

/// Whether all partitions that a write is for are asked whether they would take it before one does. REQUIRES: it is for
/// several.
bool is_asked_first(const write& w);

/// The same as a question, which changes nothing. REQUIRES: is_asked_first.
write as_question(write w);

/// What it has in common with all writes that may change the answer to such a question: while one that was asked first
/// is on its way, they wait for it. Empty: it waits for none.
std::string turn_of(const write& w);

} // namespace steadfast::store
