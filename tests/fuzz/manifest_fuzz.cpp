// Manifests: what is accepted can be compiled, described and dispatched, and
// means the same however it is spelt.

#include "manifests/manifest.h"
#include "tests/fuzz/property.h"

using namespace exhibit;

namespace {

void CheckOptions(const Manifest& a, const Manifest& b) {
  for (size_t i = 0; i < a.cases.size(); ++i) {
    for (size_t v = 0; v < a.variants.size(); ++v) {
      const auto options = OptionsFor(a, a.cases[i], a.variants[v]);
      const auto again = OptionsFor(b, b.cases[i], b.variants[v]);
      fuzz::Require(options.ok() && again.ok(),
                    "an accepted manifest has legal options");
      fuzz::Require(*options == *again, "options do not depend on spelling");
      fuzz::Require(CheckTileOptions(*options).ok(), "options fit each other");
    }
    fuzz::Require(a.FindCase(a.cases[i].name) == &a.cases[i],
                  "case names are unique");
    if (a.program == "attention") {
      fuzz::Require(AttentionInstances(a.cases[i]) > 0,
                    "a case has program instances");
    }
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = fuzz::TextOf(data, size);
  const Result<Manifest> manifest = ParseManifest(text, "input");
  if (!manifest.ok()) {
    fuzz::RequireSound(manifest.error());
    return 0;
  }
  fuzz::Require(manifest->FindVariant(manifest->baseline) != nullptr &&
                    manifest->FindVariant(manifest->candidate) != nullptr,
                "both arms are declared");
  const std::optional<std::string> canonical = fuzz::Canonical(text);
  fuzz::Require(canonical.has_value(), "a manifest is strict JSON");
  const Result<Manifest> again = ParseManifest(*canonical, "canonical");
  fuzz::Require(again.ok() && again->cases.size() == manifest->cases.size() &&
                    again->variants.size() == manifest->variants.size(),
                "a manifest may be spelt canonically");
  const std::string measured = WhatIsMeasured(*manifest);
  fuzz::RequireShowable(measured);
  fuzz::Require(measured == WhatIsMeasured(*again),
                "what is measured does not depend on spelling");
  CheckOptions(*manifest, *again);
  return 0;
}
