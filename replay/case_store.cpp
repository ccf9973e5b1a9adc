#include "replay/case_store.h"

#include <string>
#include <utility>

namespace exhibit {
namespace {

// Of the cases' arrays, before those of other cases are forgotten.
constexpr uint64_t kKeptBytesMax = uint64_t{1} << 29;

}  // namespace

Result<CaseStore> CaseStore::Load(const RunState& run) {
  CaseStore store;
  store.data_.resize(run.cases.size());
  for (size_t i = 0; i < run.cases.size(); ++i) {
    Result<int> opened = store.Open(run, i);
    if (!opened.ok()) return opened.error();
  }
  return store;
}

Result<int> CaseStore::Open(const RunState& run, size_t index) {
  std::optional<CaseData>& data = data_[index];
  if (!data) {
    EXHIBIT_ASSIGN_OR_RETURN(CaseData loaded,
                             CaseData::Load(run.path, run.cases[index].record));
    if (bytes_ + loaded.bytes() > kKeptBytesMax) {
      for (auto& other : data_) other.reset();
      bytes_ = 0;
    }
    bytes_ += loaded.bytes();
    data = std::move(loaded);
  }
  return data->fd();
}

}  // namespace exhibit
