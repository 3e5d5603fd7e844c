#pragma once

#include <stdexcept>

namespace steadfast {

/// A node cannot be made, or cannot do now what it is asked for; the text names the cause and the remedy.
class node_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

} // namespace steadfast
