// Race check for shared memory. See SharedShadow.h.
#include "codegen/cuda/emulator/SharedShadow.h"

namespace graphc::simt {

namespace {
std::string race(const char *what, size_t offset, unsigned thread, unsigned other) {
  const std::string who = other < 0x8000   ? "thread " + std::to_string(other)
                          : other == 0xfffe ? "threads of several warps"
                                            : "threads of warp " + std::to_string(other & 0x7fff);
  return std::string("race in shared memory at byte ") + std::to_string(offset) + ": thread " +
         std::to_string(thread) + what + who + " with no barrier between";
}
} // namespace

void SharedShadow::clear() { cells.assign(cells.size(), Cell()); }

bool SharedShadow::ordered(const Actor &actor, uint16_t other, uint32_t blockEpoch, uint32_t warpEpoch) {
  if (other == nobody || other == actor.thread || blockEpoch < actor.blockEpoch)
    return true;
  if (other == severalWarps)
    return false;
  const unsigned otherWarp = other & wholeWarp ? other & ~wholeWarp : other / 32u;
  return otherWarp == actor.thread / 32u && warpEpoch < actor.warpEpoch;
}

std::string SharedShadow::read(const Actor &actor, size_t offset, size_t bytes) {
  for (size_t i = offset / cellBytes; i <= (offset + bytes - 1) / cellBytes; ++i) {
    Cell &cell = cells[i];
    if (cell.pending)
      return "shared memory at byte " + std::to_string(i * cellBytes) + " read by thread " +
             std::to_string(actor.thread) + " while an asynchronous copy into it is in flight";
    if (!ordered(actor, cell.writer, cell.writeBlockEpoch, cell.writeWarpEpoch))
      return race(" reads what is written by ", i * cellBytes, actor.thread, cell.writer);
    const bool current = cell.reader != nobody && cell.readBlockEpoch == actor.blockEpoch;
    if (!current || cell.reader == actor.thread)
      cell.reader = actor.thread;
    else if (cell.reader != severalWarps) {
      const unsigned warp = cell.reader & wholeWarp ? cell.reader & ~wholeWarp : cell.reader / 32u;
      cell.reader = warp == actor.thread / 32u ? uint16_t(wholeWarp | warp) : severalWarps;
    }
    cell.readBlockEpoch = actor.blockEpoch;
    cell.readWarpEpoch = actor.warpEpoch;
  }
  return "";
}

std::string SharedShadow::checkWrite(const Actor &actor, const Cell &cell, size_t offset) const {
  if (cell.pending)
    return "shared memory at byte " + std::to_string(offset) + " written by thread " + std::to_string(actor.thread) +
           " while an asynchronous copy into it is in flight";
  if (!ordered(actor, cell.writer, cell.writeBlockEpoch, cell.writeWarpEpoch))
    return race(" writes what is written by ", offset, actor.thread, cell.writer);
  if (!ordered(actor, cell.reader, cell.readBlockEpoch, cell.readWarpEpoch))
    return race(" writes what is read by ", offset, actor.thread, cell.reader);
  return "";
}

std::string SharedShadow::write(const Actor &actor, size_t offset, size_t bytes) {
  for (size_t i = offset / cellBytes; i <= (offset + bytes - 1) / cellBytes; ++i) {
    Cell &cell = cells[i];
    if (std::string fault = checkWrite(actor, cell, i * cellBytes); !fault.empty())
      return fault;
    cell.writer = actor.thread;
    cell.writeBlockEpoch = actor.blockEpoch;
    cell.writeWarpEpoch = actor.warpEpoch;
  }
  return "";
}

std::string SharedShadow::startCopy(const Actor &actor, size_t offset, size_t bytes) {
  if (std::string fault = write(actor, offset, bytes); !fault.empty())
    return fault;
  for (size_t i = offset / cellBytes; i <= (offset + bytes - 1) / cellBytes; ++i)
    cells[i].pending = true;
  return "";
}

void SharedShadow::finishCopy(const Actor &actor, size_t offset, size_t bytes) {
  for (size_t i = offset / cellBytes; i <= (offset + bytes - 1) / cellBytes; ++i) {
    cells[i].pending = false;
    cells[i].writer = actor.thread;
    cells[i].writeBlockEpoch = actor.blockEpoch;
    cells[i].writeWarpEpoch = actor.warpEpoch;
  }
}

} // namespace graphc::simt
