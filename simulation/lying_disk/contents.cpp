// The content of files, and what a power cut leaves of it.

#include "simulation/lying_disk/parts.hpp"

#include <linux/falloc.h>

#include <algorithm>

namespace steadfast::simulation {

using namespace kernel;

/// The present content may be there again after a power cut. Behind the end there are zeros.
void lying_disk::file::keep(number at, number count) {
  old.push_back({at, count, bytes.size()});
  bytes.resize(bytes.size() + count);
  must(read_at(fd, bytes.data() + old.back().bytes_at, count, at) >= 0, "read what was there");
}

void lying_disk::file::resize(number to) {
  if (to == size)
    return;
  sizes.push_back(size);
  size = to;
}

/// Removes these bytes from all pieces.
void lying_disk::file::make_durable(number at, number end) {
  std::vector<piece> left;
  for (const auto& p : old) {
    if (p.at < at)
      left.push_back({p.at, std::min(p.size, at - p.at), p.bytes_at});
    if (p.at + p.size > end) {
      const auto from = std::max(p.at, end);
      left.push_back({from, p.at + p.size - from, p.bytes_at + (from - p.at)});
    }
  }
  old = std::move(left);
  if (end >= size)
    sizes.clear();
}

/// That part of it.
void lying_disk::file::put_back(const piece& p, number from, number to) const {
  const auto begin = std::max(p.at, from);
  const auto end = std::min(p.at + p.size, to);
  if (begin < end)
    must(write_at(fd, bytes.data() + p.bytes_at + (begin - p.at), end - begin, begin) >= 0, "put back what was there");
}

/// As the disk has it, if nothing was written since the last sync.
std::string lying_disk::file::durable_page(number at) const {
  std::string page(page_size, '\0');
  must(read_at(fd, page.data(), page_size, at) >= 0, "read a page");
  for (auto p = old.rbegin(); p != old.rend(); ++p) {
    const auto begin = std::max(p->at, at);
    const auto end = std::min(p->at + p->size, at + page_size);
    if (begin < end)
      page.replace(begin - at, end - begin, bytes, p->bytes_at + (begin - p->at), end - begin);
  }
  return page;
}

/// Pages that are written again are written as a whole by the next sync.
void lying_disk::take_up_lost(file& f, number at, number size) {
  const auto end = at + size;
  for (auto p = f.lost.lower_bound(rounded_down(at, page_size)); p != f.lost.end() && p->first < end;
       p = f.lost.erase(p)) {
    f.old.push_back({p->first, page_size, f.bytes.size()});
    f.bytes += p->second;
  }
}

/// The kernel takes a whole page, then checks whether to go on.
std::string_view lying_disk::some_pages(number at, std::string_view bytes) {
  const auto to_next = page_size - at % page_size;
  const auto pages = bytes.size() <= to_next ? 1 : 1 + (bytes.size() - to_next + page_size - 1) / page_size;
  const auto taken = below(pages + 1);
  return bytes.substr(0, taken == 0 ? 0 : to_next + (taken - 1) * page_size);
}

void lying_disk::write_some(file& f, std::string_view bytes, number at) {
  if (bytes.empty())
    return;
  take_up_lost(f, at, bytes.size());
  f.keep(at, bytes.size());
  const auto written = write_at(f.fd, bytes.data(), bytes.size(), at);
  must(written == static_cast<long>(bytes.size()), "write");
  f.resize(std::max(f.size, at + bytes.size()));
  f.allocated = std::max(f.allocated, f.size);
}

/// A sync has failed: some of what it should have written is written, and the rest counts as written.
void lying_disk::lose(file& f, number at, number end) {
  std::vector<number> pages;
  for (const auto& p : f.old)
    for (auto page = rounded_down(p.at, page_size); page < p.at + p.size; page += page_size)
      if (page + page_size > at && page < end)
        pages.push_back(page);
  std::sort(pages.begin(), pages.end());
  pages.erase(std::unique(pages.begin(), pages.end()), pages.end());
  for (const auto page : pages)
    if (below(2) == 0)
      f.lost[page] = f.durable_page(page);
  for (const auto page : pages)
    f.make_durable(page, page + page_size);
}

/// Of each sector, one of the states that it was in since the last sync.
void lying_disk::cut(file& f) {
  for (const auto& [at, page] : f.lost)
    must(write_at(f.fd, page.data(), page.size(), at) >= 0, "lose a page");
  f.lost.clear();
  std::map<number, number> left; ///< of its states, to go through
  const auto each_sector = [&](const file::piece& p, auto what) {
    for (auto s = rounded_down(p.at, sector_size_); s < p.at + p.size; s += sector_size_)
      what(s);
  };
  for (const auto& p : f.old)
    each_sector(p, [&](number s) { ++left[s]; });
  for (auto& [sector, states] : left)
    states = below(states + 1);
  for (auto p = f.old.rbegin(); p != f.old.rend(); ++p)
    each_sector(*p, [&](number s) {
      if (left[s] == 0)
        return;
      --left[s];
      f.put_back(*p, s, s + sector_size_);
    });
  f.sizes.push_back(f.size);
  f.size = f.allocated = f.sizes[below(f.sizes.size())];
  must(syscall(SYS_ftruncate, f.fd, f.size) == 0, "cut a file");
  f.make_durable();
}

long lying_disk::write(int fd, std::string_view bytes, number at) {
  const std::lock_guard lock{mutex_};
  const auto& d = *descriptors_[static_cast<std::size_t>(fd)];
  auto& f = *d.what;
  const bool was_stopped = is_stopped_;
  if (!may_change()) {
    if (!was_stopped)
      write_some(f, some_pages(at, bytes), at);
    errno = EIO;
    return -1;
  }
  if (happens(faults_.write_permille))
    return fail(d.path, EIO);
  if (faults_.is_full && at + bytes.size() > f.allocated) {
    if (at >= f.allocated)
      return fail(d.path, ENOSPC);
    bytes = bytes.substr(0, f.allocated - at);
  }
  if (happens(faults_.short_permille))
    if (const auto some = some_pages(at, bytes); !some.empty())
      bytes = some;
  write_some(f, bytes, at);
  if (d.syncs_each_write) {
    const auto begin = rounded_down(at, page_size);
    const auto end = rounded_down(at + bytes.size() + page_size - 1, page_size);
    if (sync_fails()) {
      lose(f, begin, end);
      return fail(d.path, EIO);
    }
    f.make_durable(begin, end);
  }
  return static_cast<long>(bytes.size());
}

int lying_disk::sync(int fd, bool data_only) {
  const std::lock_guard lock{mutex_};
  const auto& d = *descriptors_[static_cast<std::size_t>(fd)];
  if (!may_change())
    return -1;
  const bool fails = sync_fails();
  if (!d.what) {
    if (fails)
      return fail(d.path, EIO);
    sync_names(d.path);
    return 0;
  }
  auto& f = *d.what;
  if (fails) {
    lose(f, 0, f.size);
    return fail(d.path, EIO);
  }
  if (names_in_order_ && (!data_only || !f.sizes.empty()))
    sync_names({});
  f.make_durable();
  return 0;
}

int lying_disk::truncate(int fd, number size) {
  const std::lock_guard lock{mutex_};
  auto& f = *descriptors_[static_cast<std::size_t>(fd)]->what;
  if (!may_change())
    return -1;
  if (size < f.size) {
    take_up_lost(f, size, f.size - size);
    f.keep(size, f.size - size);
  }
  f.resize(size);
  f.allocated = size;
  return static_cast<int>(syscall(SYS_ftruncate, f.fd, size));
}

/// Room is only counted: in memory it would have to be cleared.
int lying_disk::allocate(int fd, int mode, number at, number size) {
  const std::lock_guard lock{mutex_};
  const auto& d = *descriptors_[static_cast<std::size_t>(fd)];
  if (mode != FALLOC_FL_KEEP_SIZE) {
    errno = EOPNOTSUPP;
    return -1;
  }
  if (!may_change())
    return -1;
  if (faults_.is_full && at + size > d.what->allocated)
    return fail(d.path, ENOSPC);
  d.what->allocated = std::max(d.what->allocated, at + size);
  return 0;
}

} // namespace steadfast::simulation
