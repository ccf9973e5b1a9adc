#include "capture/attention_case.h"

#include <stdexcept>

namespace exhibit {
namespace {

tile::Contraction ContractionOf(const std::string& word) {
  if (word == "mma") return tile::Contraction::kMma;
  if (word == "reduce") return tile::Contraction::kReduce;
  throw std::logic_error("contraction " + word);
}

}  // namespace

tile::AttentionSpec AttentionSpecOf(const ManifestCase& manifest_case,
                                    const TileOptions& options) {
  const std::vector<int64_t>& shape = manifest_case.shape;
  if (shape.size() != 7 || manifest_case.tile.size() != 2) {
    throw std::logic_error("attention case " + manifest_case.name +
                           " without seven extents and two tile extents");
  }
  tile::AttentionSpec spec;
  spec.shape = {shape[0], shape[1], shape[2], shape[3],
                shape[4], shape[5], shape[6]};
  spec.query_block = manifest_case.tile[0];
  spec.key_block = manifest_case.tile[1];
  spec.qk = ContractionOf(options.qk);
  spec.pv = ContractionOf(options.pv);
  return spec;
}

Status CheckAttentionCase(const ManifestCase& manifest_case) {
  Result<std::string> text =
      tile::AttentionText(AttentionSpecOf(manifest_case, TileOptions()));
  if (text.ok()) return Ok();
  Error error = text.error();
  error.message = "case " + manifest_case.name + ": " + error.message;
  return error;
}

}  // namespace exhibit
