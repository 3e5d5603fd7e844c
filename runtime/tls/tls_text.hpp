#pragma once

#include <boost/system/error_code.hpp>

#include <openssl/ssl.h>

#include <string>

namespace steadfast::runtime {

/// Why a TLS connection could not be made, for people. The other side is "it"; it showed a certificate of that name.
std::string tls_failure_text(const boost::system::error_code& e, SSL* session, const std::string& shown_name);

} // namespace steadfast::runtime
