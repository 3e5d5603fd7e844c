#pragma once

#include <stdexcept>

namespace steadfast {

/// A node cannot be made, or is asked for what it cannot do now; the text names the cause and the cure.
class node_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

} // namespace steadfast
