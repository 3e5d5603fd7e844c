#pragma once

// What a node and the launcher of a program say to each other. The launcher is a small program by itself, without the
// rest of ours: this header and the C library are all it knows.
//
//     steadfast-launcher DIRECTORY PROGRAM [ARGUMENT...]
//
// Its environment is the program's. It gets the program's standard input, output and error, and these descriptors:

namespace steadfast::actors::launcher {

constexpr int report_end =
  3; ///< one `report` is written to it when all is over; if it closes without one, the launcher was killed
constexpr int stop_end = 4;  ///< becomes readable when the call is no longer wanted
constexpr int timer_end = 5; ///< becomes readable at complete-by
constexpr int node_end = 6;  ///< becomes readable when the node's process has ended, for whatever reason
constexpr int first_free_end = 7;

enum class outcome : int {
  ended = 1,           ///< the program ended; `value` is its status as wait() returns it
  no_directory = 2,    ///< never begun: its directory cannot be entered; `value` is the errno
  cannot_run = 3,      ///< never begun: it cannot be executed; `value` is the errno
  not_begun = 4,       ///< never begun: its time was over, or nobody wanted it any more
  killed = 5,          ///< complete-by passed, it was stopped, or the node is gone
  cannot_supervise = 6 ///< never begun: the launcher cannot do its work; `value` is the errno
};

/// Written when neither the program nor anything that it started runs any more.
struct report {
  outcome what;
  int value;
};

} // namespace steadfast::actors::launcher
