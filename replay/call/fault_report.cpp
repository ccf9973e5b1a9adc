#include "replay/call/fault_report.h"

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace exhibit {
namespace {

constexpr uint64_t kSentenceBytesMax = 1024;  // With the zero byte.

struct FaultRange {
  uintptr_t begin = 0;
  uintptr_t end = 0;  // 0: the slot is free.
  char phrase[kFaultPhraseBytesMax] = {};
};

// Read by a signal handler, hence global and never resized.
std::array<FaultRange, kFaultRangeCountMax> ranges;
size_t ranges_used = 0;  // No range was ever registered from here on.
int report_fd = -1;
int64_t report_offset = 0;
alignas(64) char handler_stack[64 * 1024];

// Text of a fixed size: a signal handler must not allocate.
struct Sentence {
  char text[kSentenceBytesMax] = {};
  uint64_t length = 0;

  void Add(const char* more) {
    while (*more != '\0' && length + 1 < kSentenceBytesMax) {
      text[length++] = *more++;
    }
  }
  void Add(std::string_view more) {
    for (char c : more) {
      if (length + 1 < kSentenceBytesMax) text[length++] = c;
    }
  }
  void AddNumber(int number) {
    char digits[12];
    int count = 0;
    do {
      digits[count++] = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number > 0);
    while (count > 0 && length + 1 < kSentenceBytesMax) {
      text[length++] = digits[--count];
    }
  }
};

const char* PhraseFor(uintptr_t address) {
  for (const FaultRange& range : ranges) {
    if (range.end != 0 && address >= range.begin && address < range.end) {
      return range.phrase;
    }
  }
  return nullptr;
}

void Describe(int signal, std::string_view access, uintptr_t address,
              Sentence& sentence) {
  sentence.Add("signal ");
  sentence.AddNumber(signal);
  if (signal == SIGILL) {
    sentence.Add(" at an illegal instruction");
    return;
  }
  if (signal == SIGFPE) {
    sentence.Add(" at an arithmetic fault");
    return;
  }
  sentence.Add(" while ");
  sentence.Add(access);
  sentence.Add(" ");
  const char* phrase = PhraseFor(address);
  if (phrase != nullptr) {
    sentence.Add(phrase);
  } else if (address < 4096) {
    sentence.Add("through a null pointer");
  } else {
    sentence.Add("memory outside every buffer");
  }
}

std::string_view AccessOf(const siginfo_t* info, const void* context) {
#if defined(__x86_64__)
  // Bit 1 of the page fault's error code is set for a write. A fault that is
  // not a page fault (SI_KERNEL) has no such code.
  if (info->si_code == SI_KERNEL) return "accessing";
  const auto* machine = static_cast<const ucontext_t*>(context);
  return (machine->uc_mcontext.gregs[REG_ERR] & 2) != 0 ? "writing" : "reading";
#else
  (void)info;
  (void)context;
  return "accessing";
#endif
}

void ReportFault(int signal, siginfo_t* info, void* context) {
  Sentence sentence;
  Describe(signal, AccessOf(info, context),
           reinterpret_cast<uintptr_t>(info->si_addr), sentence);
  // Nothing can be done here about a failed write: the parent then says only
  // which signal it was.
  ssize_t written =
      pwrite(report_fd, sentence.text, sentence.length + 1, report_offset);
  (void)written;
  // The handler was reset when it was entered; this is delivered on return.
  raise(signal);
}

}  // namespace

void RegisterFaultRange(const void* begin, uint64_t bytes,
                        std::string_view phrase) {
  for (size_t i = 0; i < ranges.size(); ++i) {
    FaultRange& range = ranges[i];
    if (range.end != 0) continue;
    ranges_used = std::max(ranges_used, i + 1);
    uint64_t length =
        std::min<uint64_t>(phrase.size(), kFaultPhraseBytesMax - 1);
    std::memcpy(range.phrase, phrase.data(), length);
    range.phrase[length] = '\0';
    range.begin = reinterpret_cast<uintptr_t>(begin);
    range.end = range.begin + bytes;
    return;
  }
}

void ForgetFaultRanges(const void* begin, uint64_t bytes) {
  uintptr_t low = reinterpret_cast<uintptr_t>(begin);
  for (size_t i = 0; i < ranges_used; ++i) {
    FaultRange& range = ranges[i];
    if (range.end != 0 && range.begin >= low && range.begin < low + bytes) {
      range.end = 0;
    }
  }
}

Status InstallFaultReport(int fd, int64_t offset) {
  report_fd = fd;
  report_offset = offset;
  stack_t stack = {};
  stack.ss_sp = handler_stack;
  stack.ss_size = sizeof(handler_stack);
  if (sigaltstack(&stack, nullptr) != 0) {
    return Error{ErrorKind::kIo,
                 std::string("cannot set a signal stack: ") + strerror(errno),
                 ""};
  }
  struct sigaction action = {};
  action.sa_sigaction = ReportFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE}) {
    if (sigaction(signal, &action, nullptr) != 0) {
      return Error{
          ErrorKind::kIo,
          std::string("cannot set a signal handler: ") + strerror(errno), ""};
    }
  }
  return Ok();
}

std::string DescribeFault(int signal, std::string_view access,
                          const void* address) {
  Sentence sentence;
  Describe(signal, access, reinterpret_cast<uintptr_t>(address), sentence);
  return std::string(sentence.text, sentence.length);
}

}  // namespace exhibit
