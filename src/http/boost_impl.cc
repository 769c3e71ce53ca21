// Asio's TLS part and Beast, compiled once.
#include <boost/asio/ssl/impl/src.hpp>
#include <boost/beast/src.hpp>
