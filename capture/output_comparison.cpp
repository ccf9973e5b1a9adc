#include "capture/output_comparison.h"

#include <stdexcept>

#include "manifests/npy.h"

namespace exhibit {
namespace {

Result<std::string> DifferenceOf(const OutputBytes& jit,
                                 const OutputBytes& prepared) {
  EXHIBIT_ASSIGN_OR_RETURN(const Array a, DecodeNpy(jit.npy, jit.name));
  EXHIBIT_ASSIGN_OR_RETURN(const Array b,
                           DecodeNpy(prepared.npy, prepared.name));
  if (a.dtype != b.dtype || a.shape != b.shape) {
    throw std::logic_error("two shapes of output " + jit.name);
  }
  if (a == b) return std::string();
  size_t at = 0;
  while (a.bytes[at] == b.bytes[at]) ++at;
  return jit.name +
         ": the JIT-linked code and kernel.so wrote different bits, first in "
         "element " +
         std::to_string(at / DTypeBytes(a.dtype));
}

}  // namespace

Result<std::string> FirstDifference(const std::vector<OutputBytes>& jit,
                                    const std::vector<OutputBytes>& prepared) {
  if (jit.size() != prepared.size()) {
    throw std::logic_error("two numbers of outputs of one case");
  }
  for (size_t i = 0; i < jit.size(); ++i) {
    EXHIBIT_ASSIGN_OR_RETURN(const std::string difference,
                             DifferenceOf(jit[i], prepared[i]));
    if (!difference.empty()) return difference;
  }
  return std::string();
}

}  // namespace exhibit
