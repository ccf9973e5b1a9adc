// A tile program: typed SSA over small dense tiles with named axes.
//
// A program declares axes (name and static extent), buffers, and one root
// parallel domain. Each point of the domain is an *instance* that runs the body
// once; instances are unordered. Operands are matched by axis name, never by
// position, and an operand that lacks an axis of the result broadcasts along
// it. A value is defined once: a store after a load does not change the loaded
// tile, even where buffers alias.
//
// These structures hold what was written, sound or not. Only VerifyProgram
// (verify.h) says that a program means something; every consumer but the
// printer may rely on a verified program.
// Normative: compiler/TILE.md.

#ifndef EXHIBIT_COMPILER_TILE_PROGRAM_H_
#define EXHIBIT_COMPILER_TILE_PROGRAM_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace exhibit::tile {

// Indices into Program::axes, Program::values and Program::buffers.
using AxisId = int32_t;
using ValueId = int32_t;
using BufferId = int32_t;
inline constexpr int32_t kNone = -1;

enum class ScalarType { kF32, kI64, kBool };

struct Axis {
  std::string name;
  int64_t extent = 0;  // Static; 0 is legal and makes empty tiles.
};

// A tile is row-major in the order of its own axes. No axes: a scalar.
struct TileType {
  ScalarType scalar = ScalarType::kF32;
  std::vector<AxisId> axes;

  bool operator==(const TileType&) const = default;
};

struct Value {
  std::string name;
  TileType type;
};

enum class BufferRole {
  kInput,   // Loaded only.
  kOutput,  // Stored only; what it holds before the call means nothing.
  kInout,   // Loaded and stored; the caller fills it.
};

struct Buffer {
  std::string name;
  BufferRole role = BufferRole::kInput;
  ScalarType scalar = ScalarType::kF32;  // kF32 or kI64.
  std::vector<int64_t> shape;            // Row-major, no padding.
};

// An i64 scalar: a value, or a number written in its place.
struct Scalar {
  ValueId value = kNone;
  int64_t literal = 0;  // Used when value == kNone.
};

// Splat of one number over the result type.
struct Constant {
  ValueId result = kNone;
  std::variant<float, int64_t, bool> number;  // As the result's scalar type.
};

// result[..., i, ...] = offset + i, i64, where i runs along `axis`.
struct Iota {
  ValueId result = kNone;
  AxisId axis = kNone;
  Scalar offset;
};

// Where a tile lies in a buffer: one entry per buffer dimension. The index in a
// dimension is offset, plus the index along `axis` if there is one. Every axis
// of the tile stands in exactly one entry; the tile's own axis order is free,
// so a load may transpose.
struct ViewDim {
  Scalar offset;
  AxisId axis = kNone;
};

struct View {
  BufferId buffer = kNone;
  std::vector<ViewDim> dims;
};

// An element with any index outside [0, shape) loads as 0.
struct Load {
  ValueId result = kNone;
  View view;
};

// An element with any index outside [0, shape) is not stored.
struct Store {
  ValueId source = kNone;
  View view;
};

enum class ElementwiseKind {
  // f32 (round to nearest, never fused) or i64 (wrapping), two operands.
  kAdd,
  kSub,
  kMul,
  kDiv,  // i64: towards zero; the divisor is a constant >= 1.
  kMax,  // max(a, b) = a > b ? a : b, so b where either is NaN.
  // f32 or i64 -> bool. With a NaN only kNotEqual holds.
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kEqual,
  kNotEqual,
  kAnd,      // bool, two operands.
  kSelect,   // bool, then two of the result's type: c ? a : b.
  kExp,      // f32.
  kSqrt,     // f32, correctly rounded; NaN below zero.
  kConvert,  // i64 -> f32 (nearest), bool -> f32 or i64 (0 and 1).
};

struct Elementwise {
  ElementwiseKind kind = ElementwiseKind::kAdd;
  ValueId result = kNone;
  std::vector<ValueId> operands;
};

// What the arithmetic of an mma may do. It never lowers a precision.
enum class Permission {
  kStrict,   // Ascending k; product rounded, then added; never fused.
  kFma,      // Ascending k, fused.
  kRelaxed,  // May be reassociated and fused.
};

// Contraction over the axes of lhs that the result lacks:
//   acc = seed; for k ascending: acc = acc + lhs * rhs
// with several contracted axes taken row-major in lhs order. All f32.
struct Mma {
  ValueId result = kNone;
  ValueId lhs = kNone;
  ValueId rhs = kNone;
  ValueId seed = kNone;
  Permission permission = Permission::kStrict;
};

enum class ReduceKind { kMax, kSum };

enum class ReduceOrder {
  kSequential,  // Starts from element 0, then ascending.
  kTree,        // half = next power of two / 2, halving: i takes i + half if
                // that element exists.
};

// f32, over one axis of extent >= 1. Max is the elementwise max(acc, element).
struct Reduce {
  ReduceKind kind = ReduceKind::kSum;
  ReduceOrder order = ReduceOrder::kSequential;
  ValueId result = kNone;
  ValueId operand = kNone;
  AxisId axis = kNone;
};

// One carried tile. In the text, argument and result share one name: inside the
// body it is the argument, after the pipeline the result.
struct Carry {
  ValueId initial = kNone;   // Defined outside.
  ValueId argument = kNone;  // Its value at the start of a trip.
  ValueId yielded = kNone;   // Its value at the end of a trip.
  ValueId result = kNone;    // After the last trip; `initial` if there is none.
};

struct Op;

// Sequential loop of `trips` trips; all carries update at once.
struct Pipeline {
  ValueId step = kNone;  // i64 scalar 0, 1, ..., trips - 1.
  int64_t trips = 0;
  std::vector<Carry> carries;
  std::vector<Op> body;
};

struct Op {
  std::variant<Constant, Iota, Load, Store, Elementwise, Mma, Reduce, Pipeline>
      node;
};

// One axis of the root domain. `index` is an i64 scalar, 0 .. extent - 1.
struct DomainAxis {
  ValueId index = kNone;
  int64_t extent = 0;
};

struct Program {
  std::string name;  // [a-z][a-z0-9_]*
  std::vector<Axis> axes;
  std::vector<Buffer> buffers;  // Declaration order is the entry's order.
  std::vector<Value> values;
  // Row-major: the last axis is the fastest. The instance number is
  // (i0 * extent1 + i1) * extent2 + i2 ...; dispatch is (instances, 1, 1).
  std::vector<DomainAxis> domain;
  std::vector<Op> body;
};

// Every limit on a program. Counts are over the whole program.
struct TileLimits {
  int64_t text_bytes_max = int64_t{1} << 20;
  int64_t name_bytes_max = 64;
  int64_t axis_count_max = 64;
  int64_t buffer_count_max = 64;
  int64_t domain_axis_count_max = 8;
  int64_t op_count_max = 4096;
  int64_t rank_max = 8;  // Tiles and buffers.
  int64_t pipeline_depth_max = 4;
  int64_t carry_count_max = 64;  // Of one pipeline.
  int64_t axis_extent_max = int64_t{1} << 20;
  int64_t tile_elements_max = int64_t{1} << 24;
  int64_t total_tile_elements_max = int64_t{1} << 28;  // Sum over values.
  int64_t buffer_elements_max = int64_t{1} << 32;
  int64_t instance_count_max = int64_t{0xffffffff};
  int64_t trip_count_max = int64_t{1} << 31;
};

// The words of the text form: "f32", "add", "strict", "sequential" ...
std::string_view NameOf(ScalarType type);
std::string_view NameOf(BufferRole role);
std::string_view NameOf(ElementwiseKind kind);
std::string_view NameOf(Permission permission);
std::string_view NameOf(ReduceKind kind);
std::string_view NameOf(ReduceOrder order);

// Bytes of one element in memory: f32 4, i64 8, bool 1.
int64_t ScalarBytes(ScalarType type);

// Number of operands an elementwise operation takes.
int OperandCount(ElementwiseKind kind);

// The rest is for verified programs, where nothing overflows.

const TileType& TypeOf(const Program& program, ValueId value);
const std::string& ValueName(const Program& program, ValueId value);
// Product of the extents of `axes`.
int64_t ElementCount(const Program& program, const std::vector<AxisId>& axes);
int64_t ElementCount(const Program& program, ValueId value);
int64_t ElementCount(const Buffer& buffer);
bool HasAxis(const TileType& type, AxisId axis);
// Elements between neighbours along `axis`: the product of the extents after it
// in the tile's own order; 0 if the tile lacks the axis.
int64_t StrideAlong(const Program& program, const TileType& type, AxisId axis);
// Program instances: the product of the domain's extents.
int64_t InstanceCount(const Program& program);

// The axes that `mma` contracts, in lhs order, and the product of their
// extents: the number of terms of each output.
std::vector<AxisId> ContractedAxes(const Program& program, const Mma& mma);
int64_t TermCount(const Program& program, const Mma& mma);

// What an operation defines, kNone for Store and Pipeline (whose step,
// arguments and results stand in its fields).
ValueId ResultOf(const Op& op);
// Every value slot that an operation reads, in printed order: offsets of views
// and iotas included, x * x twice. For a pipeline the initial values only; what
// its body and its yield read is not included.
std::vector<ValueId> OperandsOf(const Op& op);

}  // namespace exhibit::tile

#endif  // EXHIBIT_COMPILER_TILE_PROGRAM_H_
