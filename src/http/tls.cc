#include "http/tls.h"

#include <fmt/format.h>
#include <openssl/ssl.h>

#include <stdexcept>

namespace millrace::http {

namespace {

namespace ssl = boost::asio::ssl;

void check(const boost::system::error_code& error, const std::string& file) {
  if (error) throw std::runtime_error(fmt::format("TLS: {}: {}", file, error.message()));
}

// The protocol is agreed on where the client asks; anything but HTTP/1.1 is left to fail later.
int choose_protocol(SSL*, const unsigned char** out, unsigned char* out_size, const unsigned char* in,
                    unsigned int in_size, void*) {
  static constexpr unsigned char kHttp11[] = "\x08http/1.1";
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, out_size, kHttp11, sizeof(kHttp11) - 1, in, in_size) != OPENSSL_NPN_NEGOTIATED)
    return SSL_TLSEXT_ERR_NOACK;
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

}  // namespace

std::shared_ptr<ssl::context> load_tls(const TlsFiles& files) {
  auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
  SSL_CTX* native = context->native_handle();
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  SSL_CTX_set_options(native, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_mode(native, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_alpn_select_cb(native, choose_protocol, nullptr);
  boost::system::error_code error;
  context->use_certificate_chain_file(files.certificate, error);
  check(error, files.certificate);
  context->use_private_key_file(files.key, ssl::context::pem, error);
  check(error, files.key);
  if (SSL_CTX_check_private_key(native) != 1)
    throw std::runtime_error(fmt::format("TLS: {} does not belong to {}", files.key, files.certificate));
  return context;
}

}  // namespace millrace::http
