#pragma once

namespace steadfast::apps {

/// Exit codes of the process: docs/cli.md lists them, scripts rely on them.
enum exit_code : int {
  done = 0,
  refused = 1,       ///< the node refused, or a check found faults
  task_undone = 2,   ///< `submit --wait`: the task was undone
  task_error = 3,    ///< `submit --wait`: the task needs a person
  still_running = 4, ///< `submit --wait`: its limit passed, the task goes on
  not_found = 5,     ///< there is no such task, workflow, step or alert
  wrong_usage = 64,
  wrong_data = 65, ///< a payload or workflow file that cannot be used
  no_input = 66,   ///< a file that cannot be read
  no_node = 69,    ///< no node answers
  our_fault = 70,
  cannot_start = 73, ///< the node's store or socket cannot be opened
  store_failed = 74, ///< the disk failed the running node
  try_again = 75,    ///< the node is too busy, or did not answer in time
  wrong_config = 78,
  interrupted = 130, ///< Ctrl-C
  reader_gone = 141, ///< the reader of the output has gone (`| head`)
};

} // namespace steadfast::apps
