// The one exp of every kernel: FP32, at most 1 ULP, the same bits everywhere.
//
// The order of evaluation is written once, over an `Ops` that supplies the
// arithmetic: floats here, LLVM values in the emitter. Every step is one IEEE
// operation in round-to-nearest; there is no fused operation and no rounding
// intrinsic, so scalar, packet and interpreter agree bit for bit.
//
//   n = round(x / ln2), by adding and subtracting 1.5 * 2^23
//   r = (x - n*ln2_high) - n*ln2_low          n*ln2_high is exact
//   y = 1 + (r + (r*r) * P(r))                P of degree 5, by Horner
//   exp(x) = (y * 2^(n/2)) * 2^(n - n/2)      n/2 rounded down
//
// Two factors of 2^n keep the subnormal and the overflowing range right: the
// first product is exact, the second rounds once.
// exp(-inf) = 0, exp(inf) = inf, a NaN stays a NaN (its payload is not kept).

#ifndef EXHIBIT_COMPILER_TILE_EXP_F32_H_
#define EXHIBIT_COMPILER_TILE_EXP_F32_H_

#include <bit>
#include <cstdint>

namespace exhibit {

struct ExpF32Constants {
  // Beyond these the result is infinite or rounds to zero. Clamping first keeps
  // n within what the two factors can express; a NaN passes both comparisons.
  static constexpr float kHighest = 89.0f;
  static constexpr float kLowest = -105.0f;
  static constexpr float kInverseLn2 = 0x1.715476p+0f;
  static constexpr float kRound = 0x1.8p+23f;
  // Sixteen significant bits, so that n * kLn2High is exact for |n| < 256.
  static constexpr float kLn2High = 0x1.62e4p-1f;
  static constexpr float kLn2Low = 0x1.7f7d1cp-20f;
  // (exp(r) - 1 - r) / r^2 on [-ln2/2, ln2/2], highest power first.
  static constexpr float kP[6] = {0x1.a12516p-13f, 0x1.6d434ep-10f,
                                  0x1.1110ep-7f,   0x1.5554e8p-5f,
                                  0x1.555556p-3f,  0x1p-1f};
};

// Ops has types F and I and: Float(float), Int(uint32), Add, Sub, Mul on F;
// SelectGreater(a, b, c, d) = a > b ? c : d; SelectLess likewise; Bits(F) -> I;
// FromBits(I) -> F; AddInt, SubInt, wrapping; HalveInt, an arithmetic shift to
// the right by one; ShiftInt23, to the left by 23.
template <typename Ops>
typename Ops::F ExpF32By(Ops& ops, typename Ops::F x) {
  using C = ExpF32Constants;
  auto high = ops.Float(C::kHighest);
  auto low = ops.Float(C::kLowest);
  x = ops.SelectGreater(x, high, high, x);
  x = ops.SelectLess(x, low, low, x);
  auto round = ops.Float(C::kRound);
  auto shifted = ops.Add(ops.Mul(x, ops.Float(C::kInverseLn2)), round);
  auto n = ops.Sub(shifted, round);
  auto r = ops.Sub(ops.Sub(x, ops.Mul(n, ops.Float(C::kLn2High))),
                   ops.Mul(n, ops.Float(C::kLn2Low)));
  auto p = ops.Float(C::kP[0]);
  for (int i = 1; i < 6; ++i) {
    p = ops.Add(ops.Mul(p, r), ops.Float(C::kP[i]));
  }
  auto y = ops.Add(ops.Float(1.0f), ops.Add(r, ops.Mul(ops.Mul(r, r), p)));
  // The low bits of `shifted` are n itself. Taking them from there needs no
  // conversion, which would be undefined for a NaN.
  auto whole = ops.SubInt(ops.Bits(shifted),
                          ops.Int(std::bit_cast<uint32_t>(C::kRound)));
  auto first = ops.HalveInt(whole);
  auto second = ops.SubInt(whole, first);
  auto bias = ops.Int(127);
  auto scale = ops.FromBits(ops.ShiftInt23(ops.AddInt(first, bias)));
  auto rest = ops.FromBits(ops.ShiftInt23(ops.AddInt(second, bias)));
  return ops.Mul(ops.Mul(y, scale), rest);
}

struct ScalarExpOps {
  using F = float;
  using I = uint32_t;
  static F Float(float v) { return v; }
  static I Int(uint32_t v) { return v; }
  static F Add(F a, F b) { return a + b; }
  static F Sub(F a, F b) { return a - b; }
  static F Mul(F a, F b) { return a * b; }
  static F SelectGreater(F a, F b, F c, F d) { return a > b ? c : d; }
  static F SelectLess(F a, F b, F c, F d) { return a < b ? c : d; }
  static I Bits(F v) { return std::bit_cast<uint32_t>(v); }
  static F FromBits(I v) { return std::bit_cast<float>(v); }
  static I AddInt(I a, I b) { return a + b; }
  static I SubInt(I a, I b) { return a - b; }
  static I HalveInt(I v) {
    return static_cast<uint32_t>(static_cast<int32_t>(v) >> 1);
  }
  static I ShiftInt23(I v) { return v << 23; }
};

// exp(x). Must be compiled without contraction, as the whole project is.
inline float ExpF32(float x) {
  ScalarExpOps ops;
  return ExpF32By(ops, x);
}

}  // namespace exhibit

#endif  // EXHIBIT_COMPILER_TILE_EXP_F32_H_
