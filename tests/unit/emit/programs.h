// Small tile programs as text, for the tests of emit and build.

#ifndef EXHIBIT_TESTS_UNIT_EMIT_PROGRAMS_H_
#define EXHIBIT_TESTS_UNIT_EMIT_PROGRAMS_H_

#include <cstdint>
#include <stdexcept>
#include <string>

#include "compiler/tile/text.h"

namespace exhibit::testing {

inline tile::Program Read(const std::string& text) {
  auto program = tile::ReadProgram(text, "test");
  if (!program.ok()) throw std::logic_error(program.error().message);
  return std::move(*program);
}

struct MmaSpec {
  int64_t rows = 1;
  int64_t columns = 5;
  int64_t terms = 9;
  bool is_swapped = false;      // mma(B, A, C): lhs is strided along n.
  bool is_overwriting = false;  // A and C are zeroed before the mma.
  std::string permission = "strict";
};

// out[m,n] = mma(A[m,k], B[n,k], C[m,n]): a right operand that is strided along
// the output axis n.
inline std::string MmaText(const MmaSpec& spec) {
  const std::string m = std::to_string(spec.rows);
  const std::string n = std::to_string(spec.columns);
  const std::string k = std::to_string(spec.terms);
  const std::string overwrite =
      "  zero: f32 = constant 0\n"
      "  zero_a: f32[m, k] = add zero, zeros_a\n"
      "  zero_c: f32[m, n] = add zero, zeros_c\n"
      "  store zero_a -> a[0:m, 0:k]\n"
      "  store zero_c -> c[0:m, 0:n]\n";
  const std::string zeros =
      "  zeros_a: f32[m, k] = constant 0\n"
      "  zeros_c: f32[m, n] = constant 0\n";
  const std::string role = spec.is_overwriting ? "inout" : "input";
  return "exhibit.tile/1\nprogram product\n\naxis m = " + m +
         "\naxis n = " + n + "\naxis k = " + k + "\n\n" + role + " a f32[" + m +
         ", " + k + "]\ninput b f32[" + n + ", " + k + "]\n" + role +
         " c f32[" + m + ", " + n + "]\noutput out f32[" + m + ", " + n +
         "]\n\nparallel i < 1 {\n"
         "  A: f32[m, k] = load a[0:m, 0:k]\n"
         "  B: f32[n, k] = load b[0:n, 0:k]\n"
         "  C: f32[m, n] = load c[0:m, 0:n]\n" +
         (spec.is_overwriting ? zeros + overwrite : "") +
         "  product: f32[m, n] = mma " + spec.permission +
         (spec.is_swapped ? " B, A" : " A, B") +
         ", C\n"
         "  store product -> out[0:m, 0:n]\n}\n";
}

}  // namespace exhibit::testing

#endif  // EXHIBIT_TESTS_UNIT_EMIT_PROGRAMS_H_
