// The file is an array of pages. A page begins with its number u64, two unused bytes, its flags u16, and
//
//     a branch or leaf   lower u16, upper u16: the ends of the free space; offsets of nodes u16 from byte 16 to lower
//     overflow           its pages u32; then one value
//     meta (0 and 1)     at byte 16: magic u32, version u32, address u64, map size u64, the tree of the free list, the
//                        main tree, last page u64, transaction u64
//
// A tree is: page size u32 (of the free list's only), flags u16, depth u16, its branch, leaf and overflow pages,
// entries, root, u64 each. A node is: low u16, high u16, flags u16, size of the key u16, key; the first three are the
// page number under a branch; in a leaf low and high are the size of the value, which follows, or is the number of an
// overflow page, or is a tree.

#include "store/lmdb/lmdb_file.hpp"

#include "store/contract/state_store.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace steadfast::store::lmdb {

namespace {

using page_number = std::uint64_t;

constexpr std::uint32_t magic = 0xBEEFC0DE;
constexpr std::uint32_t version = 1;
constexpr std::size_t page_head = 16;
constexpr std::size_t node_head = 8;
constexpr std::size_t tree_size = 48;
constexpr page_number no_page = ~0ULL;
constexpr std::uint16_t depth_max = 32;

enum page_flag : std::uint16_t { branch = 1, leaf = 2, overflow = 4, meta = 8, dirty = 16 };
enum node_flag : std::uint16_t { value_elsewhere = 1, value_is_tree = 2 };
constexpr std::uint16_t integer_keys = 8;

[[noreturn]] void broken(const std::string& what) {
  throw store_error{what, false};
}

/// The words are made of it only when it does not hold: this is asked several times for each entry of a file.
void expect(bool holds, const char* what) {
  if (!holds)
    broken(what);
}

void expect_of_page(bool holds, page_number n, const char* what) {
  if (!holds)
    broken("page " + std::to_string(n) + what);
}

template <class T>
T number_at(std::string_view bytes, std::size_t at) {
  expect(at <= bytes.size() && bytes.size() - at >= sizeof(T), "it ends too early");
  T value{};
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

struct tree {
  std::uint16_t flags;
  std::uint16_t depth;
  std::uint64_t branches, leaves, overflows, entries;
  page_number root;
};

tree tree_at(std::string_view bytes, std::size_t at) {
  const auto u64 = [&](std::size_t i) { return number_at<std::uint64_t>(bytes, at + 8 + 8 * i); };
  return {number_at<std::uint16_t>(bytes, at + 4),
          number_at<std::uint16_t>(bytes, at + 6),
          u64(0),
          u64(1),
          u64(2),
          u64(3),
          u64(4)};
}

struct node {
  std::uint32_t size; ///< of the value
  std::uint16_t flags;
  std::string_view key;
  std::string_view rest; ///< of the page, after the key

  page_number child() const { return size | static_cast<page_number>(flags) << 32; }
};

/// The keys that a search looks for under a page: from `low` to before `high`; absent: no bound.
struct bounds {
  std::optional<std::string_view> low;
  std::optional<std::string_view> high;
};

/// One walk through all trees.
class structure {
public:
  explicit structure(std::string_view file) : file_{file} {}

  void check() {
    page_size_ = number_at<std::uint32_t>(file_, page_head + 24);
    expect(page_size_ >= 512 && page_size_ <= 65536, "its page size cannot be right");
    const std::string newest{newest_meta()}; // others may be writing the next ones
    last_ = number_at<std::uint64_t>(newest, page_head + 120);
    const auto map_size = number_at<std::uint64_t>(newest, page_head + 16);
    expect(last_ < map_size / page_size_, "its last page lies outside of its map"); // LMDB would never map it all
    used_.resize(file_.size() / page_size_);
    walk(tree_at(newest, page_head + 24), integer_keys);
    walk(tree_at(newest, page_head + 72), 0);
  }

private:
  std::string_view bytes_of(page_number first, std::uint64_t count) const {
    return file_.substr(first * page_size_, count * page_size_);
  }

  std::string_view meta_page(page_number n) const {
    expect(file_.size() >= 2 * page_size_, "it ends too early");
    const auto page = bytes_of(n, 1);
    expect((number_at<std::uint16_t>(page, 10) & meta) != 0 && number_at<std::uint32_t>(page, page_head) == magic
             && number_at<std::uint32_t>(page, page_head + 4) == version,
           "its head is no head");
    return page;
  }

  /// Transactions write to both in turn.
  std::string_view newest_meta() const {
    const auto transaction = [](std::string_view m) { return number_at<std::uint64_t>(m, page_head + 128); };
    const auto zero = meta_page(0);
    const auto one = meta_page(1);
    const bool is_one = transaction(zero) < transaction(one);
    const auto newest = transaction(is_one ? one : zero);
    expect(newest == 0 || (newest % 2 == 1) == is_one, "its heads do not go together");
    return is_one ? one : zero;
  }

  void use(page_number n) {
    expect(n >= 2 && n <= last_, "a page lies outside of it");
    const bool is_first = n < used_.size() ? !used_[n] : beyond_.insert(n).second;
    expect_of_page(is_first, n, " is used twice");
    if (n < used_.size())
      used_[n] = true;
  }

  std::string_view used_page(page_number n, std::uint16_t flags, std::uint64_t count = 1) {
    expect(n < used_.size() && count <= used_.size() - n, "it ends too early");
    for (std::uint64_t i = 0; i < count; ++i)
      use(n + i);
    const auto page = bytes_of(n, count);
    expect_of_page(number_at<page_number>(page, 0) == n && (number_at<std::uint16_t>(page, 10) & ~dirty) == flags, n,
                   " is another than it is used as");
    return page;
  }

  // ---- trees ----

  void walk(const tree& t, std::uint16_t flags) {
    expect(t.flags == flags && t.depth <= depth_max && (t.root == no_page) == (t.depth == 0), "a table is none");
    tree found{};
    if (t.root != no_page)
      walk(t.root, t.depth, {}, flags == integer_keys, found);
    expect(found.branches == t.branches && found.leaves == t.leaves && found.overflows == t.overflows
             && found.entries == t.entries,
           "a table has other pages or entries than it says");
  }

  void walk(page_number n, unsigned levels, const bounds& within, bool is_free_list, tree& found) {
    const bool is_leaf = levels == 1;
    ++(is_leaf ? found.leaves : found.branches);
    const auto nodes = nodes_of(used_page(n, is_leaf ? leaf : branch));
    expect(nodes.size() >= (is_leaf || is_free_list ? 1U : 2U), "a page is empty");
    check_keys(nodes, is_leaf, within, is_free_list);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (is_leaf) {
        ++found.entries;
        look_at_value(nodes[i], is_free_list, found);
      } else {
        const bounds under{i == 0 ? within.low : nodes[i].key, i + 1 == nodes.size() ? within.high : nodes[i + 1].key};
        walk(nodes[i].child(), levels - 1, under, is_free_list, found);
      }
    }
  }

  std::vector<node> nodes_of(std::string_view page) const {
    const std::size_t lower = number_at<std::uint16_t>(page, 12);
    const std::size_t upper = number_at<std::uint16_t>(page, 14);
    expect(lower >= page_head && lower <= upper && upper <= page_size_ && lower % 2 == 0,
           "the ends of a page are wrong");
    std::vector<node> nodes;
    nodes.reserve((lower - page_head) / 2);
    for (auto at = page_head; at < lower; at += 2)
      nodes.push_back(node_at(page, number_at<std::uint16_t>(page, at), upper));
    return nodes;
  }

  static node node_at(std::string_view page, std::size_t at, std::size_t upper) {
    expect(at >= upper && at + node_head <= page.size(), "an entry lies outside of its page");
    const auto size =
      number_at<std::uint16_t>(page, at) | static_cast<std::uint32_t>(number_at<std::uint16_t>(page, at + 2)) << 16;
    const auto flags = number_at<std::uint16_t>(page, at + 4);
    const auto rest = page.substr(at + node_head);
    const std::size_t key_size = number_at<std::uint16_t>(page, at + 6);
    expect(key_size <= rest.size(), "a key lies outside of its page");
    return {size, flags, rest.substr(0, key_size), rest.substr(key_size)};
  }

  /// The first key of a branch stands for all that is lower than the second.
  static void check_keys(const std::vector<node>& nodes, bool is_leaf, const bounds& within, bool is_free_list) {
    auto before = within.low;
    for (std::size_t i = is_leaf ? 0 : 1; i < nodes.size(); ++i) {
      const auto key = nodes[i].key;
      const bool may_equal = is_leaf && i == 0; // the bound itself
      expect(!key.empty() && (!is_free_list || key.size() == sizeof(std::uint64_t)), "a key has a wrong size");
      expect(!before || is_before(*before, key, is_free_list) || (may_equal && *before == key),
             "keys are out of order");
      before = key;
    }
    expect(!within.high || is_before(*before, *within.high, is_free_list), "keys are out of order");
  }

  static bool is_before(std::string_view a, std::string_view b, bool is_free_list) {
    return is_free_list ? number_at<std::uint64_t>(a, 0) < number_at<std::uint64_t>(b, 0) : a < b;
  }

  void look_at_value(const node& n, bool is_free_list, tree& found) {
    expect((n.flags & ~(value_elsewhere | value_is_tree)) == 0, "an entry is of another kind");
    auto value = n.rest.substr(0, n.size);
    if ((n.flags & value_elsewhere) != 0) {
      const std::uint64_t count = (page_head + n.size - 1) / page_size_ + 1;
      const auto pages = used_page(number_at<page_number>(n.rest, 0), overflow, count);
      expect(number_at<std::uint32_t>(pages, 12) == count, "a large value has another size than it says");
      found.overflows += count;
      value = pages.substr(page_head, n.size);
    }
    expect(value.size() == n.size, "a value lies outside of its page");
    if (is_free_list)
      use_free(value);
    else if ((n.flags & value_is_tree) != 0)
      walk(table_in(value), 0);
  }

  static tree table_in(std::string_view value) {
    expect(value.size() == tree_size, "a table is none");
    return tree_at(value, 0);
  }

  /// A count and that many page numbers.
  void use_free(std::string_view value) {
    const auto count = number_at<std::uint64_t>(value, 0);
    expect(count < value.size() / sizeof count, "the list of free pages is none");
    for (std::uint64_t i = 1; i <= count; ++i)
      use(number_at<page_number>(value, i * sizeof count));
  }

  std::string_view file_;
  std::size_t page_size_ = 0;
  page_number last_ = 0;
  std::vector<bool> used_;       ///< of the pages in the file
  std::set<page_number> beyond_; ///< free pages that were never written
};

} // namespace

void check_structure(std::string_view file) {
  structure{file}.check();
}

bool is_without_commit(std::string_view file) {
  constexpr std::size_t sector = 512;
  const auto is_head = [&](std::size_t at) {
    return file.size() >= at + page_head + 136 && number_at<std::uint32_t>(file, at + page_head) == magic;
  };
  const auto is_used = [&](std::size_t at) {
    return is_head(at) && number_at<std::uint64_t>(file, at + page_head + 128) > 0;
  };
  bool found = is_used(0);
  for (std::size_t page_size = 512; page_size <= 65536; page_size *= 2) // which may not be known
    found = found || is_used(page_size);
  const bool is_ours = is_head(0) || file.substr(0, sector).find_first_not_of('\0') == std::string_view::npos;
  return is_ours && !found;
}

} // namespace steadfast::store::lmdb
