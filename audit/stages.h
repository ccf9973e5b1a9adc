// The stages of an audit, by name and in order.

#ifndef EXHIBIT_AUDIT_STAGES_H_
#define EXHIBIT_AUDIT_STAGES_H_

#include <array>
#include <string_view>

namespace exhibit {

inline constexpr std::string_view kShapeStage = "shape";
inline constexpr std::string_view kDigestsStage = "digests";
inline constexpr std::string_view kDecodingStage = "decoding";
inline constexpr std::string_view kDeclarationStage = "declaration";
inline constexpr std::string_view kIdentityStage = "identity";
inline constexpr std::string_view kNumbersStage = "numbers";
inline constexpr std::string_view kSemanticsStage = "semantics";
inline constexpr std::string_view kStatisticsStage = "statistics";
inline constexpr std::string_view kClaimsStage = "claims";
// Not of the evidence but of what stands around it: the seal, derived files,
// and what the caller expected.
inline constexpr std::string_view kSealStage = "seal";

inline constexpr std::array<std::string_view, 10> kStageNames = {
    kShapeStage,       kDigestsStage,    kDecodingStage,
    kDeclarationStage, kIdentityStage,   kNumbersStage,
    kSemanticsStage,   kStatisticsStage, kClaimsStage,
    kSealStage};

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_STAGES_H_
