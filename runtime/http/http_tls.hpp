#pragma once

#include "runtime/configuration/http_server_options.hpp"

#include <boost/asio/ssl/context.hpp>

#include <memory>
#include <string>

namespace steadfast::runtime {

/// TLS 1.2 or 1.3 with the certificate; a client may show one of its own if there is an authority. Throws node_error,
/// which names the option, the file and the remedy.
std::shared_ptr<boost::asio::ssl::context> make_tls(const http_server_options& o);

/// Why clients refuse the certificate today, a sentence; empty: for no such reason. `made`: by make_tls of these.
std::string why_untimely(const http_server_options& o, boost::asio::ssl::context& made);
/// The same of the files as they are now. Throws as make_tls does.
std::string why_untimely(const http_server_options& o);

/// The common name in the certificate that the client showed and the authority vouches for; empty: there is none.
std::string checked_name(SSL* connection);

} // namespace steadfast::runtime
