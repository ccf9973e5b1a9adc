// The arrays of a case, read and verified once, where every visit finds them.
//
// A sealed memory file holds the inputs' values and the expected outputs as
// doubles, each at a multiple of 64 bytes, in the order of the case record.
// Sealed: neither a kernel nor anything else can change what was verified. The
// visits are spared the reading, hashing and decoding of the same files.

#ifndef EXHIBIT_REPLAY_CASE_DATA_H_
#define EXHIBIT_REPLAY_CASE_DATA_H_

#include <cstdint>
#include <string>
#include <vector>

#include "manifests/records.h"
#include "manifests/result.h"
#include "replay/call/guarded_buffers.h"

namespace exhibit {

class CaseData {
 public:
  // Reads every array that `record` names from `run` and checks its digest,
  // type and shape.
  //
  // Fails with kCorrupt when an array is not what the record says, kIo when
  // there is no memory, and with what reading an array fails with.
  static Result<CaseData> Load(const std::string& run,
                               const CaseRecord& record);
  CaseData(CaseData&& other) noexcept;
  CaseData& operator=(CaseData&& other) noexcept;
  ~CaseData();

  int fd() const { return fd_; }
  uint64_t bytes() const { return bytes_; }

 private:
  CaseData(int fd, uint64_t bytes) : fd_(fd), bytes_(bytes) {}
  int fd_ = -1;
  uint64_t bytes_ = 0;
};

struct ExpectedOutput {
  std::string name;
  std::vector<double> values;
};

// What the file says to a visit.
struct CaseContents {
  std::vector<CallBuffer> buffers;  // In declared order; inputs name the file.
  std::vector<ExpectedOutput> expected;
};

// Reads the file behind `fd`, which must stay open while buffers are made.
//
// Fails with kCorrupt when it is not sealed or not of the record's size, and
// with kIo.
Result<CaseContents> ReadCaseContents(int fd, const CaseRecord& record);

}  // namespace exhibit

#endif  // EXHIBIT_REPLAY_CASE_DATA_H_
