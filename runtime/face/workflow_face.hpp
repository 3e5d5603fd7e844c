#pragma once

#include "steadfast/workflow.hpp"
#include "workflow/definition/definition.hpp"

namespace steadfast {

/// What a user has built.
class workflow_access {
public:
  static const workflow::definition& of(const workflow_builder& w) { return *w.what_; }
};

} // namespace steadfast
