// The blocks that contain an address, among many: one probe for each number of bits that occurs.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "match/address.h"
#include "match/postings.h"

namespace millrace::match {

class AddressTable {
 public:
  PostingId& at(const AddressBlock& block) {
    std::vector<int>& bits = block.network.v6 ? bits_v6_ : bits_v4_;
    if (std::ranges::find(bits, block.bits) == bits.end()) bits.push_back(block.bits);
    return table_.try_emplace(key_of(block.network, block.bits), Postings::kNone).first->second;
  }

  template <class Found>
  void find(const Address& address, Found found) const {
    for (const int bits : address.v6 ? bits_v6_ : bits_v4_) {
      const auto entry = table_.find(key_of(network_of(address, bits), bits));
      if (entry != table_.end()) found(entry->second);
    }
  }

 private:
  struct Key {
    std::uint64_t high;
    std::uint64_t low;
    std::uint32_t kind;  // bits and version

    bool operator==(const Key&) const = default;
    template <class H>
    friend H AbslHashValue(H state, const Key& key) {
      return H::combine(std::move(state), key.high, key.low, key.kind);
    }
  };
  static Key key_of(const Address& network, int bits) {
    Key key{0, 0, static_cast<std::uint32_t>(bits) * 2 + (network.v6 ? 1 : 0)};
    std::memcpy(&key.high, network.bytes.data(), 8);
    std::memcpy(&key.low, network.bytes.data() + 8, 8);
    return key;
  }

  std::vector<int> bits_v4_;
  std::vector<int> bits_v6_;
  absl::flat_hash_map<Key, PostingId> table_;
};

}  // namespace millrace::match
