// The server's side of TLS.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <memory>

#include "http/server.h"

namespace millrace::http {

// TLS 1.2 and later with the given chain and key. Throws std::runtime_error naming the file that does not do.
std::shared_ptr<boost::asio::ssl::context> load_tls(const TlsFiles& files);

}  // namespace millrace::http
