#include "simulation/world/probes.hpp"

namespace steadfast::simulation {

namespace {

constexpr failure_row rows[] = {
  {1, "a submission is lost on its way"},
  {2, "a submission is stored, its acknowledgement is lost"},
  {3, "two clients submit one id at once"},
  {5, "killed before a submission is stored"},
  {6, "killed after a submission is stored, before it is acknowledged"},
  {7, "killed before an attempt is recorded as running"},
  {8, "killed after an attempt is recorded, before it is ordered"},
  {10, "a scheduler is killed while an agent of another node acts for it"},
  {11, "killed after an answer came, before it is stored"},
  {12, "killed after a completion is stored, before the next step"},
  {13, "killed after the last change is stored, before the observer is told"},
  {14, "a scheduler that stood still for longer than its lease writes"},
  {15, "an order or an answer under an older lock"},
  {16, "two schedulers claim in one commit"},
  {17, "a scheduler is killed with 10,000 tasks in flight"},
  {18, "all nodes are down at once"},
  {19, "a scheduler hangs, and loses its lease"},
  {21, "an agent dies with an order that it has not called for"},
  {22, "a service acted, and its answer is lost"},
  {23, "a call that is never answered"},
  {24, "an answer arrives after complete-by"},
  {26, "an answer arrives twice"},
  {27, "an answer of an older attempt while a newer one runs"},
  {28, "a success after undo began"},
  {29, "a message that cannot be read"},
  {30, "an answer for a task that was never ordered"},
  {31, "a failure for good"},
  {32, "a round of failures for now is used up"},
  {34, "a call goes on after it was given up"},
  {35, "an agent starts again while its former life's calls are under way"},
  {36, "no agent of a kind is left"},
  {37, "an agent is too slow for its orders, and pushes back"},
  {38, "the supervisor's node dies with work overdue"},
  {39, "killed after the failure count is stored"},
  {40, "the supervisor's node dies after its decision"},
  {41, "two supervisors"},
  {42, "a supervisor hangs, and loses its lease"},
  {43, "no supervisor for an hour"},
  {44, "supervisor and scheduler decide about one task at once"},
  {45, "the leases cannot be reached for longer than they last"},
  {46, "one holder is cut off from the leases, not from the others"},
  {47, "a release that does not count"},
  {48, "the answer to a renewal comes after the lease has ended"},
  {49, "a lease is acquired again after the store was started again"},
  {50, "a wall clock that is wrong"},
  {51, "steady clocks that drift"},
  {52, "a machine stands still for ten minutes"},
  {53, "a message is lost"},
  {54, "a message is doubled"},
  {55, "messages are reordered"},
  {56, "a one-way cut"},
  {57, "a node is cut off for longer than its lease, and comes back"},
  {58, "a link that fails again as soon as it is back"},
  {60, "no room on the disk"},
  {61, "a sync fails"},
  {62, "the power is cut, and what was not synced is lost"},
  {64, "a commit is made and reported as failed"},
  {65, "commits take seconds"},
  {69, "a copy of the store takes its place"},
  {71, "an undo fails"},
  {72, "killed at the recording of an undo"},
  {73, "an undo's complete-by passes"},
  {74, "cancelled while an attempt is under way"},
  {75, "undo begins with a step whose outcome is unknown"},
  {76, "a task that kills its scheduler each time"},
  {77, "an observer that is away"},
  {86, "another node has the store"},
  {87, "a node that had the store, and was frozen, goes on"},
};

} // namespace

std::span<const failure_row> rows_to_reach() {
  return rows;
}

} // namespace steadfast::simulation
