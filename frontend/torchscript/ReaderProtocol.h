// What the compiler and the process that reads TorchScript files say to each other over a socket, on one machine.
//
//   compiler → reader   RequestHeader with the model file's descriptor, the path, the method, `entryCount` FileRanges
//   reader → compiler   ReplyHeader with the descriptor of a memory file: `graphSize` bytes of WireWriter (error text, StoragePlaces,
//                       graph), then the storages that don't stand in the model file as they are
//
// One request at a time; the reader ends when the socket closes.
#ifndef GRAPHC_FRONTEND_TORCHSCRIPT_READERPROTOCOL_H
#define GRAPHC_FRONTEND_TORCHSCRIPT_READERPROTOCOL_H

#include <cstdint>
#include <cstring>
#include <sys/socket.h>
#include <unistd.h>

namespace graphc::frontend::torchscript {

/// The reader's end of the socket.
inline constexpr int readerSocket = 3;
/// File name of the reader's program.
inline constexpr const char *readerProgram = "graphc-torchscript-reader";

struct RequestHeader {
  uint64_t pathSize = 0, methodSize = 0, entryCount = 0;
};
/// Bytes of the model file that stand there uncompressed: where tensors may lie.
struct FileRange {
  uint64_t offset = 0, size = 0;
};
struct ReplyHeader {
  uint64_t graphSize = 0;
};
/// Where one storage lies: in the model file or in the reply's memory file.
struct StoragePlace {
  uint8_t inModel = 0;
  uint64_t offset = 0, size = 0;
};

/// For Wire.h.
template <typename A> void transfer(A &a, StoragePlace &v) { fields(a, v.inModel, v.offset, v.size); }

/// False where the other end is gone.
inline bool sendAll(int socket, const void *data, size_t size) {
  const char *next = static_cast<const char *>(data);
  while (size > 0) {
    ssize_t sent = send(socket, next, size, MSG_NOSIGNAL);
    if (sent <= 0)
      return false;
    next += sent, size -= size_t(sent);
  }
  return true;
}

inline bool receiveAll(int socket, void *data, size_t size) {
  char *next = static_cast<char *>(data);
  while (size > 0) {
    ssize_t received = recv(socket, next, size, 0);
    if (received <= 0)
      return false;
    next += received, size -= size_t(received);
  }
  return true;
}

/// Sends a structure together with a file descriptor.
template <typename T> bool sendWithFile(int socket, const T &value, int descriptor) {
  char control[CMSG_SPACE(sizeof descriptor)] = {};
  iovec part{const_cast<T *>(&value), sizeof value};
  msghdr message{};
  message.msg_iov = &part, message.msg_iovlen = 1;
  message.msg_control = control, message.msg_controllen = sizeof control;
  cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET, header->cmsg_type = SCM_RIGHTS, header->cmsg_len = CMSG_LEN(sizeof descriptor);
  std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  return sendmsg(socket, &message, MSG_NOSIGNAL) == ssize_t(sizeof value);
}

/// Receives a structure and its file descriptor; -1 where the other end is gone or sent none.
template <typename T> int receiveWithFile(int socket, T &value) {
  char control[CMSG_SPACE(sizeof(int))] = {};
  iovec part{&value, sizeof value};
  msghdr message{};
  message.msg_iov = &part, message.msg_iovlen = 1;
  message.msg_control = control, message.msg_controllen = sizeof control;
  if (recvmsg(socket, &message, MSG_WAITALL | MSG_CMSG_CLOEXEC) != ssize_t(sizeof value))
    return -1;
  cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (!header || header->cmsg_type != SCM_RIGHTS || header->cmsg_len != CMSG_LEN(sizeof(int)))
    return -1;
  int descriptor = -1;
  std::memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
  return descriptor;
}

} // namespace graphc::frontend::torchscript

#endif // GRAPHC_FRONTEND_TORCHSCRIPT_READERPROTOCOL_H
