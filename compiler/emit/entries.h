// The two entries of a module: from a launch to packets.
//
// Private to emit/.

#ifndef EXHIBIT_COMPILER_EMIT_ENTRIES_H_
#define EXHIBIT_COMPILER_EMIT_ENTRIES_H_

#include <cstdint>
#include <string>

#include "llvm/IR/Module.h"

namespace exhibit {

// Attributes of every emitted function: no unwinding, no tables for it.
void SetFunctionAttributes(llvm::Function& function);

struct EntrySpec {
  std::string symbol;
  int64_t packets_per_count = 1;  // 1, or the packets of a block.
  int64_t packet_width = 8;
  int64_t workers_per_block = 32;
  int64_t instances = 0;
  llvm::Function* packet = nullptr;
  llvm::Function* full_packet = nullptr;  // May be null.
};

// Adds the external function `symbol` with the type exhibit_entry.
void EmitEntry(llvm::Module& module, const EntrySpec& spec);

}  // namespace exhibit

#endif  // EXHIBIT_COMPILER_EMIT_ENTRIES_H_
