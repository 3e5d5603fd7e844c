// What a program gets from the client; no node is there to answer.

#include "steadfast/client.hpp"

#include <iostream>

int main() {
  try {
    steadfast::client c{"no-such-node.sock"};
    c.submit("order", "{}");
  } catch (const steadfast::client_error& e) {
    std::cout << e.what() << "\n";
    return e.why() == steadfast::client_error::kind::unreachable ? 0 : 1;
  }
  return 1;
}
