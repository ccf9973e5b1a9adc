#include "manifests/host/system_text.h"

#include <gtest/gtest.h>

namespace exhibit {
namespace {

TEST(SystemField, TakesTheFirstLineOfThatKey) {
  const char text[] =
      "model name\t: CPU: 1 \nname : other\nflags\t\t: a b\nflags : "
      "c\nempty:\n";
  EXPECT_EQ(SystemField(text, "model name"), "CPU: 1");
  EXPECT_EQ(SystemField(text, "name"), "other");
  EXPECT_EQ(SystemField(text, "flags"), "a b");
  EXPECT_EQ(SystemField(text, "empty"), "");
  EXPECT_EQ(SystemField(text, "model"), "");
  EXPECT_EQ(SystemField("", "flags"), "");
  EXPECT_EQ(SystemField("flags : last", "flags"), "last");
}

TEST(SystemInteger, TakesTheWholeTextOrNothing) {
  EXPECT_EQ(ParseSystemInteger("42"), 42);
  EXPECT_EQ(ParseSystemInteger("-1"), -1);
  for (const char* text :
       {"", "4 2", "42\n", "0x2", "1.5", "<unknown>", "99999999999999999999"}) {
    EXPECT_EQ(ParseSystemInteger(text), std::nullopt) << text;
  }
}

TEST(SystemText, WhatCannotBeReadIsAbsent) {
  EXPECT_EQ(ReadSystemText("/proc/no-such-file"), "");
  EXPECT_NE(ReadSystemText("/proc/loadavg"), "");
}

TEST(RecordableText, HoldsPrintableAsciiOfBoundedLength) {
  EXPECT_EQ(RecordableText("a b~"), "a b~");
  EXPECT_EQ(RecordableText("a\n\x7F\xC3\xA4"), "a????");
  EXPECT_EQ(RecordableText(std::string(1024, 'a')), std::string(1024, 'a'));
  EXPECT_EQ(RecordableText(std::string(1025, 'a')),
            std::string(1024, 'a') + "...");
}

}  // namespace
}  // namespace exhibit
