#pragma once

#include <string>
#include <string_view>

namespace demo {

class services;

/// What is wrong with the services while the demo runs, in words, for the reader of its output.
std::string fault_summary(const services& all);

/// Every service that runs misbehaves in its own way. Throws std::runtime_error when one does not take the switches.
void switch_faults_on(const services& all);
void switch_faults_off(const services& all);

} // namespace demo
