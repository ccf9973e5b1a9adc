// What the IR looks like before any optimisation.

#include "compiler/emit/emit.h"

#include <gtest/gtest.h>

#include <string>

#include "compiler/plan/plan.h"
#include "compiler/tile/attention.h"
#include "compiler/tile/text.h"
#include "tests/unit/emit/programs.h"

namespace exhibit {
namespace {

using testing::MmaSpec;
using testing::MmaText;

EmittedModule Emit(const tile::Program& program, const TileOptions& options) {
  auto plan = PlanProgram(program, options);
  EXPECT_TRUE(plan.ok());
  auto emitted = EmitModule(program, options, *plan);
  EXPECT_TRUE(emitted.ok());
  return std::move(*emitted);
}

// The definition of @`name` in `ir`.
std::string Body(const std::string& ir, const std::string& name) {
  const size_t at = ir.find("@" + name + "(");
  EXPECT_NE(at, std::string::npos);
  const size_t begin = ir.rfind("define", at);
  return ir.substr(begin, ir.find("\n}\n", begin) - begin);
}

int Count(const std::string& text, const std::string& part) {
  int count = 0;
  for (size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + part.size())) {
    ++count;
  }
  return count;
}

int InductionsOf(const MmaSpec& spec, const TileOptions& options) {
  const EmittedModule emitted = Emit(testing::Read(MmaText(spec)), options);
  return Count(Body(emitted.ir, "product.packet"), "phi i64");
}

TileOptions With(int64_t block, int64_t cap) {
  TileOptions options;
  options.mma_output_block = block;
  options.max_unrolled_mma_terms = cap;
  return options;
}

TEST(Emit, AGroupOfOutputsSharesOneInduction) {
  EXPECT_EQ(InductionsOf({}, With(1, 8)), 5);
  EXPECT_EQ(InductionsOf({}, With(2, 8)), 3);
  EXPECT_EQ(InductionsOf({}, With(4, 8)), 2);
}

TEST(Emit, AStridedLeftOperandKeepsOneInductionPerOutput) {
  MmaSpec mirrored;
  mirrored.is_swapped = true;
  for (int64_t block : {1, 2, 4}) {
    EXPECT_EQ(InductionsOf(mirrored, With(block, 8)), 5) << block;
  }
}

TEST(Emit, IndexableSnapshotsReplaceCompareAndSelect) {
  const tile::Program program = testing::Read(MmaText({}));
  TileOptions options = With(1, 8);
  EXPECT_EQ(Count(Body(Emit(program, options).ir, "product.packet"), "select"),
            0);
  options.indexable_mma_snapshots = false;
  // Five outputs, two operands, nine candidates each.
  EXPECT_EQ(Count(Body(Emit(program, options).ir, "product.packet"), "select"),
            5 * 2 * 8);
}

TEST(Emit, KIsRolledExactlyByTheRule) {
  for (int64_t terms : {0, 1, 8, 9, 16, 64, 65}) {
    for (int64_t cap : {0, 1, 8, 64, 128}) {
      for (int64_t block : {1, 2, 4}) {
        MmaSpec spec;
        spec.columns = 1;  // Five rows of 65 would be traversed by loops too.
        spec.terms = terms;
        TileOptions options = With(block, cap);
        options.max_unrolled_tile_elements = 64;
        const bool rolled = terms > 64 || (cap != 0 && terms > cap);
        const tile::Program program = testing::Read(MmaText(spec));
        const std::string body =
            Body(Emit(program, options).ir, "product.packet");
        // Operands of 65 elements are loaded by a loop each.
        const int loads = terms > 64 ? 2 : 0;
        EXPECT_EQ(Count(body, "phi i64"), loads + (rolled ? 1 : 0))
            << "K " << terms << " cap " << cap << " R " << block;
        EXPECT_EQ(Count(body, "fmul"), rolled ? 1 : terms);
      }
    }
  }
}

TEST(Emit, ARefusedGroupGivesTheReferenceText) {
  MmaSpec mirrored;
  mirrored.is_swapped = true;
  const tile::Program program = testing::Read(MmaText(mirrored));
  EXPECT_TRUE(Emit(program, With(4, 8)).ir == Emit(program, With(1, 8)).ir);
}

TEST(Emit, TheWorkBudgetDecidesAtItsEdge) {
  const tile::Program program = testing::Read(MmaText({}));
  TileOptions options = With(4, 0);
  const std::string reference = Emit(program, With(1, 0)).ir;
  // min(R, N) * K * (2 + ranks of lhs, rhs and result)
  const int64_t work = 4 * 9 * (2 + 2 + 2 + 2);
  options.max_unrolled_region_work = work - 1;
  EXPECT_TRUE(Emit(program, options).ir == reference);
  options.max_unrolled_region_work = work;
  EXPECT_FALSE(Emit(program, options).ir == reference);
}

TEST(Emit, NamesOfValuesAxesAndBuffersDoNotReachTheText) {
  auto built = tile::BuildAttention({{1, 2, 1, 3, 9, 4, 4}, 2, 4});
  ASSERT_TRUE(built.ok());
  tile::Program renamed = *built;
  for (size_t i = 0; i < renamed.values.size(); ++i) {
    renamed.values[i].name = "x" + std::to_string(i);
  }
  for (tile::Axis& axis : renamed.axes) axis.name += "_renamed";
  for (tile::Buffer& buffer : renamed.buffers) buffer.name += "_renamed";
  EXPECT_TRUE(Emit(renamed, With(4, 8)).ir == Emit(*built, With(4, 8)).ir);
}

TEST(Emit, NothingMayBeFusedOrReassociated) {
  auto built = tile::BuildAttention({{1, 2, 1, 3, 9, 4, 4}, 2, 4});
  ASSERT_TRUE(built.ok());
  const std::string ir = Emit(*built, With(4, 8)).ir;
  for (const char* flag :
       {" fast ", " contract ", " reassoc ", " nnan ", " ninf ", " nsz ",
        " arcp ", " afn ", "llvm.fma", "llvm.fmuladd", "llvm.rint",
        "llvm.round", "llvm.exp", "thread_local", "uwtable"}) {
    EXPECT_EQ(ir.find(flag), std::string::npos) << flag;
  }
}

TEST(Emit, EveryFunctionIsNounwind) {
  const std::string ir = Emit(testing::Read(MmaText({})), With(4, 8)).ir;
  int functions = 0;
  for (size_t at = ir.find("define "); at != std::string::npos;
       at = ir.find("define ", at + 1)) {
    const size_t hash = ir.find(") #", at);
    const std::string group =
        ir.substr(hash + 2, ir.find(' ', hash + 2) - hash - 2);
    const size_t attributes = ir.find("attributes " + group + " = {");
    ASSERT_NE(attributes, std::string::npos) << group;
    const std::string row =
        ir.substr(attributes, ir.find('}', attributes) - attributes);
    EXPECT_NE(row.find(" nounwind"), std::string::npos) << row;
    ++functions;
  }
  EXPECT_EQ(functions, 5);
}

TEST(Emit, TheFullPacketIsAdmittedUpToTheLimitExactly) {
  const tile::Program program = testing::Read(MmaText({}));
  TileOptions options;
  int64_t instructions = 0;
  for (const FunctionShape& shape : Emit(program, options).functions) {
    if (shape.name == "product.packet") instructions = shape.instructions;
  }
  ASSERT_GT(instructions, 0);
  options.full_packet = true;
  options.max_full_packet_instructions = instructions - 1;
  EmittedModule emitted = Emit(program, options);
  EXPECT_EQ(emitted.full_packet_specializations, 0);
  EXPECT_EQ(emitted.full_packet_cloned_instructions, 0);
  EXPECT_EQ(emitted.ir.find("product.packet.full"), std::string::npos);
  options.max_full_packet_instructions = instructions;
  emitted = Emit(program, options);
  EXPECT_EQ(emitted.full_packet_specializations, 1);
  EXPECT_EQ(emitted.full_packet_cloned_instructions, instructions);
  EXPECT_NE(emitted.ir.find("product.packet.full"), std::string::npos);
}

TEST(Emit, ExpCountsAsOneCall) {
  const std::string text =
      "exhibit.tile/1\nprogram e\n\naxis n = 4\n\ninput x f32[4]\n"
      "output y f32[4]\n\nparallel i < 1 {\n"
      "  v: f32[n] = load x[0:n]\n  w: f32[n] = exp v\n"
      "  store w -> y[0:n]\n}\n";
  const EmittedModule emitted = Emit(testing::Read(text), {});
  EXPECT_EQ(Count(Body(emitted.ir, "e.packet"), "call float @exhibit.exp.f32("),
            4);
}

TEST(Emit, TheMathDigestDoesNotDependOnTheProgram) {
  const EmittedModule a = Emit(testing::Read(MmaText({})), With(1, 0));
  auto built = tile::BuildAttention({{1, 2, 1, 3, 9, 4, 4}, 2, 4});
  ASSERT_TRUE(built.ok());
  const EmittedModule b = Emit(*built, With(4, 8));
  EXPECT_EQ(a.math_helper_sha256, b.math_helper_sha256);
  EXPECT_EQ(a.math_helper_sha256.size(), 64u);
}

TEST(Emit, AModuleThatWouldBeTooLargeIsRefused) {
  MmaSpec spec;
  spec.rows = 128;
  spec.columns = 128;
  spec.terms = 128;
  TileOptions options;
  options.max_unrolled_tile_elements = 0;
  const tile::Program program = testing::Read(MmaText(spec));
  auto plan = PlanProgram(program, options);
  ASSERT_TRUE(plan.ok());
  auto emitted = EmitModule(program, options, *plan);
  ASSERT_FALSE(emitted.ok());
  EXPECT_EQ(emitted.error().kind, ErrorKind::kLimitExceeded);
}

TEST(Emit, ArraysThatDifferFromThePlanAreABug) {
  const tile::Program program = testing::Read(MmaText({}));
  auto plan = PlanProgram(program, With(1, 8));
  ASSERT_TRUE(plan.ok());
  ASSERT_FALSE(plan->arrays.empty());
  Plan other = *plan;
  other.static_snapshot_bytes_per_worker += 4;
  EXPECT_THROW((void)EmitModule(program, With(1, 8), other), std::logic_error);
  other = *plan;
  other.arrays[0].elements += 1;
  EXPECT_THROW((void)EmitModule(program, With(1, 8), other), std::logic_error);
}

struct LoadCase {
  const char* name;
  const char* domain;  // Of the parallel line.
  const char* offset;
  AccessReport expected;  // The store is looked at elsewhere.
};

TEST(Emit, LoadsAreGathersUnlessProvenOtherwise) {
  const LoadCase cases[] = {
      {"one index counts the lanes", "i < 24", "i", {0, 1, 0, 0, 0}},
      {"an odd number of instances too", "i < 21", "i", {0, 1, 0, 0, 0}},
      {"inner extents of whole packets agree",
       "i < 3, j < 8",
       "i",
       {0, 0, 1, 0, 0}},
      {"the inner index of whole packets counts",
       "i < 3, j < 8",
       "j",
       {0, 1, 0, 0, 0}},
      {"a packet across rows", "i < 3, j < 7", "j", {1, 0, 0, 0, 0}},
      {"an outer index within a packet", "i < 4, j < 4", "i", {1, 0, 0, 0, 0}},
      {"an extent of one", "i < 1, j < 7", "i", {0, 0, 1, 0, 0}},
      {"a number", "i < 5, j < 5", "3", {0, 0, 1, 0, 0}},
  };
  for (const LoadCase& c : cases) {
    const bool one = std::string(c.domain).find('j') == std::string::npos;
    const std::string text =
        std::string("exhibit.tile/1\nprogram p\n\ninput x f32[64]\n") +
        (one ? "output y f32[64]\n" : "output y f32[64, 64]\n") +
        "\nparallel " + c.domain + " {\n  v: f32 = load x[" + c.offset +
        "]\n  store v -> y" + (one ? "[i]" : "[i, j]") + "\n}\n";
    const EmittedModule emitted = Emit(testing::Read(text), {});
    EXPECT_EQ(emitted.accesses.gather_loads, c.expected.gather_loads) << c.name;
    EXPECT_EQ(emitted.accesses.contiguous_loads, c.expected.contiguous_loads)
        << c.name;
    EXPECT_EQ(emitted.accesses.broadcast_loads, c.expected.broadcast_loads)
        << c.name;
  }
}

}  // namespace
}  // namespace exhibit
