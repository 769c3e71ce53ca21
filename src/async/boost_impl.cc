// Asio, compiled once. Its TLS part and Beast are in http/boost_impl.cc, beside the code that needs OpenSSL.
#include <boost/asio/impl/src.hpp>
