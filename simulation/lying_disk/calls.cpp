// Functions of the C library that change files. A program that is linked with this file uses these instead, and so do
// the libraries that it loads. Without a lying_disk, or for files outside of it, they ask the kernel.

#include "simulation/lying_disk/lying_disk.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <string>
#include <string_view>

namespace {

using steadfast::simulation::lying_disk;

lying_disk* disk_with(int fd) {
  auto* const disk = lying_disk::present();
  return disk && disk->has(fd) ? disk : nullptr;
}

lying_disk* disk_with_file(int fd) {
  auto* const disk = lying_disk::present();
  return disk && disk->has_file(fd) ? disk : nullptr;
}

lying_disk* disk_with(const char* path) {
  auto* const disk = lying_disk::present();
  return disk && disk->has(path) ? disk : nullptr;
}

std::uint64_t position_of(int fd) {
  return static_cast<std::uint64_t>(syscall(SYS_lseek, fd, 0, SEEK_CUR));
}

long write_on(lying_disk& disk, int fd, std::string_view bytes) {
  const auto at = position_of(fd);
  const auto written = disk.write(fd, bytes, at);
  if (written > 0)
    syscall(SYS_lseek, fd, at + static_cast<std::uint64_t>(written), SEEK_SET);
  return written;
}

/// Of a name relative to a folder.
std::string whole(int folder, const char* path) {
  auto* const disk = path[0] == '/' || folder == AT_FDCWD ? nullptr : disk_with(folder);
  return disk ? disk->path_of(folder) + "/" + path : path;
}

int open_any(int folder, const char* path, int flags, unsigned mode) {
  const auto name = whole(folder, path);
  if (auto* const disk = disk_with(name.c_str()))
    return disk->open(name, flags, mode);
  return static_cast<int>(syscall(SYS_openat, folder, path, flags, mode));
}

bool takes_mode(int flags) {
  return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
}

} // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const unsigned mode = takes_mode(flags) ? va_arg(rest, unsigned) : 0;
  va_end(rest);
  return open_any(AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const unsigned mode = takes_mode(flags) ? va_arg(rest, unsigned) : 0;
  va_end(rest);
  return open_any(folder, path, flags, mode);
}

int close(int fd) {
  auto* const disk = disk_with(fd);
  return disk ? disk->close(fd) : static_cast<int>(syscall(SYS_close, fd));
}

ssize_t pwrite(int fd, const void* from, size_t size, off_t at) {
  if (auto* const disk = disk_with_file(fd))
    return disk->write(fd, {static_cast<const char*>(from), size}, static_cast<std::uint64_t>(at));
  return syscall(SYS_pwrite64, fd, from, size, at);
}

ssize_t write(int fd, const void* from, size_t size) {
  if (auto* const disk = disk_with_file(fd))
    return write_on(*disk, fd, {static_cast<const char*>(from), size});
  return syscall(SYS_write, fd, from, size);
}

ssize_t writev(int fd, const iovec* parts, int count) {
  auto* const disk = disk_with_file(fd);
  if (!disk)
    return syscall(SYS_writev, fd, parts, count);
  std::string all;
  for (int i = 0; i < count; ++i)
    all.append(static_cast<const char*>(parts[i].iov_base), parts[i].iov_len);
  return write_on(*disk, fd, all);
}

int fsync(int fd) {
  auto* const disk = disk_with(fd);
  return disk ? disk->sync(fd, false) : static_cast<int>(syscall(SYS_fsync, fd));
}

int fdatasync(int fd) {
  auto* const disk = disk_with(fd);
  return disk ? disk->sync(fd, true) : static_cast<int>(syscall(SYS_fdatasync, fd));
}

int ftruncate(int fd, off_t size) noexcept {
  if (auto* const disk = disk_with_file(fd))
    return disk->truncate(fd, static_cast<std::uint64_t>(size));
  return static_cast<int>(syscall(SYS_ftruncate, fd, size));
}

int fallocate(int fd, int mode, off_t at, off_t size) {
  if (auto* const disk = disk_with_file(fd))
    return disk->allocate(fd, mode, static_cast<std::uint64_t>(at), static_cast<std::uint64_t>(size));
  return static_cast<int>(syscall(SYS_fallocate, fd, mode, at, size));
}

int rename(const char* from, const char* to) noexcept {
  auto* const disk = disk_with(from);
  return disk ? disk->rename(from, to) : static_cast<int>(syscall(SYS_rename, from, to));
}

int unlink(const char* path) noexcept {
  auto* const disk = disk_with(path);
  return disk ? disk->remove(path, false) : static_cast<int>(syscall(SYS_unlink, path));
}

int rmdir(const char* path) noexcept {
  auto* const disk = disk_with(path);
  return disk ? disk->remove(path, true) : static_cast<int>(syscall(SYS_rmdir, path));
}

int unlinkat(int folder, const char* path, int flags) noexcept {
  const auto name = whole(folder, path);
  if (auto* const disk = disk_with(name.c_str()))
    return disk->remove(name, (flags & AT_REMOVEDIR) != 0);
  return static_cast<int>(syscall(SYS_unlinkat, folder, path, flags));
}

int remove(const char* path) noexcept {
  const int removed = unlink(path);
  return removed != 0 && errno == EISDIR ? rmdir(path) : removed;
}

int mkdir(const char* path, mode_t mode) noexcept {
  auto* const disk = disk_with(path);
  return disk ? disk->make_directory(path, mode) : static_cast<int>(syscall(SYS_mkdir, path, mode));
}
}
