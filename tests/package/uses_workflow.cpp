// What a program gets from the rules alone: mistakes in a definition, found before anything runs.

#include "workflow/definition.hpp"

#include <iostream>

int main() {
  using namespace steadfast::workflow;
  definition order;
  order.name = "order";
  order.steps.resize(2);
  order.steps[0].name = "charge";
  order.steps[0].agent = "payments";
  order.steps[1].name = "ship";
  order.steps[1].agent = "delivery";
  for (const auto& problem : problems(order))
    std::cout << problem << "\n";
  return problems(order).empty() && find_step(order, "ship") == 1 ? 0 : 1;
}
