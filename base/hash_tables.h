// Hash tables for a process that may run out of memory: if one of these cannot
// grow, std::bad_alloc is thrown and it stays as it was. One of abseil's is
// broken then, and its destructor reads past its end.
#ifndef GLES_DELEGATE_BASE_HASH_TABLES_H_
#define GLES_DELEGATE_BASE_HASH_TABLES_H_

#include <iterator>
#include <unordered_map>
#include <unordered_set>

#include "absl/hash/hash.h"

namespace gles_delegate {

template <typename Key, typename Value>
struct HashMap : std::unordered_map<Key, Value, absl::Hash<Key>> {
  using std::unordered_map<Key, Value, absl::Hash<Key>>::unordered_map;
  bool contains(const Key& key) const { return this->count(key) != 0; }
};

template <typename Key>
struct HashSet : std::unordered_set<Key, absl::Hash<Key>> {
  using std::unordered_set<Key, absl::Hash<Key>>::unordered_set;
  bool contains(const Key& key) const { return this->count(key) != 0; }
};

template <typename Table, typename Predicate>
void EraseIf(Table& table, Predicate is_out) {
  for (auto it = table.begin(); it != table.end();) {
    it = is_out(*it) ? table.erase(it) : std::next(it);
  }
}

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_BASE_HASH_TABLES_H_
