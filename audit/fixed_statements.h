// What every audit says of itself, whatever its subject.

#ifndef EXHIBIT_AUDIT_FIXED_STATEMENTS_H_
#define EXHIBIT_AUDIT_FIXED_STATEMENTS_H_

#include <string_view>

namespace exhibit {

// A keyword, a colon and a sentence. The order is fixed.
inline constexpr std::string_view kNotVerified[] = {
    "samples: that the recorded times were measured and not written",
    "clock: that the clock told the truth",
    "host: that the recorded machine ran this, with the load, frequencies and "
    "settings that were recorded",
    "moments: that anything happened when its record says",
    "declaration: that the manifest was fixed before the first result, unless "
    "its digest was published",
    "unreported: runs that were made and never shown; this one may be the best "
    "of many",
    "author: who made the run; a signature names a key, and no person",
    "library code: of variants of that kind nothing is executed again",
    "calls: that every timed call did the whole work; outputs are poisoned "
    "before a sample and checked after it, not between its calls",
    "threads: that the kernel started no thread or process that hid itself",
    "meaning: that the text of a tile program is the algorithm its author "
    "names; what is expected of it is that text in FP64",
    "source to object: that the program text and options give this object, or "
    "that kernel.ll and kernel.s belong to it; exhibit-compile --reproduce "
    "tells, with the same LLVM",
    "producer: that the tools that made the records are the ones named, and "
    "were built from the sources of Exhibit that are packed",
    "loader: what else was loaded beside the kernel and how it was linked",
    "placement: where code and data lay in memory and in caches",
    "registers: what the processor did with the code",
    "attachments: supplied by the author and not checked, like sources of "
    "libraries, logs, question, limits and what is continued",
};

inline constexpr std::string_view kSharedWithProducer[] = {
    "inputs: capture and audit generate them by audit/reference",
    "oracle: capture and audit compute it by audit/reference; that of a "
    "program text by audit/interpreter in FP64",
    "tolerance: capture, replay and audit compare by manifests/tolerance",
    "plan: compiler and audit decide by compiler/plan",
    "order: replay and audit draw by manifests/visit_order",
    "records: writers and audit encode by manifests/records",
    "text: compiler and audit read program text by compiler/tile",
    "exp: emitter and interpreter evaluate it by compiler/tile/exp_f32.h",
};

inline constexpr std::string_view kNotSharedWithProducer[] = {
    "link: audit/identity lays the object out by itself; the linker is lld",
    "semantics: audit/interpreter executes the program text; the code came "
    "from compiler/emit",
    "statistics: nothing but the audit computes any",
    "arrays and digests: NumPy and sha256sum read them without Exhibit",
};

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_FIXED_STATEMENTS_H_
