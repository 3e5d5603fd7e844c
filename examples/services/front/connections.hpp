#pragma once

namespace services {

// The HTTP library keeps its sockets to itself, so they are found among the open files of the process.

/// Closes the connection whose other end has this port, without another word.
void close_connection_from(int remote_port);

/// No connection brings another request; answers under way still go out.
void stop_reading_from_all();

} // namespace services
