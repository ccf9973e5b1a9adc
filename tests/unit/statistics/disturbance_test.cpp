#include "audit/statistics/disturbance.h"

#include <gtest/gtest.h>

namespace exhibit {
namespace {

using Marks = std::vector<std::string>;

const std::vector<int64_t> kSevenOfAMillisecond(7, 1'000'000);

Marks Of(const VisitConditions& conditions,
         std::optional<double> usual_khz = std::nullopt) {
  return MarksOf(conditions, kSevenOfAMillisecond, usual_khz);
}

TEST(Marks, QuietVisitHasNone) {
  VisitConditions quiet;
  quiet.migrations = 0;
  quiet.cpu_time_ns = 7'000'000;
  quiet.frequency_before_khz = 3'000'000;
  quiet.frequency_after_khz = 3'000'000;
  EXPECT_EQ(Of(quiet, 3e6), Marks());
  EXPECT_EQ(Of({}), Marks());
}

TEST(Marks, SwitchesInHalfOfTheSamplesAreMarked) {
  VisitConditions c;
  c.involuntary_switches = 2;
  c.voluntary_switches = 1;
  EXPECT_EQ(Of(c), Marks());
  c.voluntary_switches = 2;
  EXPECT_EQ(Of(c), Marks{marks::kSwitches});
}

TEST(Marks, ProcessorAwayForATwentiethIsMarked) {
  VisitConditions c;
  c.cpu_time_ns = 6'700'000;
  EXPECT_EQ(Of(c), Marks());
  c.cpu_time_ns = 6'600'000;
  EXPECT_EQ(Of(c), Marks{marks::kTimeLost});
}

TEST(Marks, AnyMigrationIsMarked) {
  VisitConditions c;
  c.migrations = 1;
  EXPECT_EQ(Of(c), Marks{marks::kMigrated});
}

TEST(Marks, AnyMajorFaultIsMarked) {
  VisitConditions c;
  c.major_faults = 1;
  EXPECT_EQ(Of(c), Marks{marks::kMajorFaults});
}

TEST(Marks, MinorFaultsAreMarkedFromAHundredthOfTheTime) {
  VisitConditions c;
  c.minor_faults = 70;
  EXPECT_EQ(Of(c), Marks());
  c.minor_faults = 71;
  EXPECT_EQ(Of(c), Marks{marks::kMinorFaults});
}

TEST(Marks, FrequencyThatChangedInTheVisitIsMarked) {
  VisitConditions c;
  c.frequency_before_khz = 3'000'000;
  c.frequency_after_khz = 2'900'000;
  EXPECT_EQ(Of(c), Marks());
  c.frequency_after_khz = 2'800'000;
  EXPECT_EQ(Of(c), Marks{marks::kFrequency});
}

TEST(Marks, FrequencyUnlikeThatOfOtherVisitsIsMarked) {
  VisitConditions c;
  c.frequency_after_khz = 2'800'000;
  EXPECT_EQ(Of(c, 2.9e6), Marks());
  EXPECT_EQ(Of(c, 3e6), Marks{marks::kFrequency});
}

TEST(Marks, QuartilesATenthApartAreUnsteady) {
  EXPECT_EQ(MarksOf({}, std::vector<int64_t>{100, 100, 101, 102, 103, 109, 900},
                    std::nullopt),
            Marks());
  EXPECT_EQ(MarksOf({}, std::vector<int64_t>{100, 100, 101, 102, 103, 111, 111},
                    std::nullopt),
            Marks{marks::kUnsteady});
}

TEST(Marks, StandSorted) {
  VisitConditions c;
  c.migrations = 2;
  c.cpu_time_ns = 1;
  c.major_faults = 1;
  EXPECT_EQ(Of(c),
            (Marks{marks::kTimeLost, marks::kMajorFaults, marks::kMigrated}));
}

TEST(Marks, OnlyALostProcessorCountsTowardsADisturbedHost) {
  EXPECT_TRUE(LostItsProcessor({marks::kSwitches, marks::kTimeLost}));
  EXPECT_FALSE(LostItsProcessor({marks::kTimeLost}));
  EXPECT_TRUE(LostItsProcessor({marks::kMigrated}));
  EXPECT_FALSE(LostItsProcessor({marks::kFrequency, marks::kMajorFaults,
                                 marks::kMinorFaults, marks::kSwitches,
                                 marks::kUnsteady}));
}

TEST(Quartiles, LeaveMoreThanAQuarterOnEachSide) {
  EXPECT_EQ(QuartilesOf({5.0}).low, 5.0);
  EXPECT_EQ(QuartilesOf({2.0, 1.0, 3.0, 4.0}).low, 2.0);
  EXPECT_EQ(QuartilesOf({2.0, 1.0, 3.0, 4.0}).high, 3.0);
  EXPECT_EQ(QuartilesOf({7, 6, 5, 4, 3, 2, 1}).high, 6.0);
}

}  // namespace
}  // namespace exhibit
