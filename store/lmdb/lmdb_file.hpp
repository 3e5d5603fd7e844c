#pragma once

#include <string_view>

namespace steadfast::store::lmdb {

/// Looks at a data file of LMDB 0.9 page by page. LMDB trusts what it finds: a page that is used twice, or free and in
/// use, ends the process at some later write, and a wrong way to a key hides the key. Throws store_error with what is
/// wrong, unless every page is what it is used as, is used once, and every key is where a search looks for it. Values
/// are not looked at.
void check_structure(std::string_view file);

/// As LMDB makes a file before its first commit, also when a power cut took parts of it: there is nothing in it to be
/// lost.
bool is_without_commit(std::string_view file);

} // namespace steadfast::store::lmdb
