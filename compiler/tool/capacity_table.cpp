#include "compiler/tool/capacity_table.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "compiler/plan/plan.h"

namespace exhibit {
namespace {

using Row = std::vector<std::string>;

const Row& Headings() {
  static const Row headings = {"case",      "variant", "bytes/worker", "arrays",
                               "workspace", "blocked", "2-d",          "rolled",
                               "full",      "tail",    "the arrays"};
  return headings;
}

// "query80 K1280 inside16:bool", in layout order.
std::string ArrayNames(const Plan& plan) {
  std::string names;
  for (const ArrayPlan& array : plan.arrays) {
    if (!names.empty()) names += " ";
    names += array.name + std::to_string(array.elements);
    if (array.scalar == tile::ScalarType::kF32) continue;
    names += ":" + std::string(NameOf(array.scalar));
  }
  return names.empty() ? "none" : names;
}

Row RowOf(const std::string& case_name, const std::string& variant,
          const Result<Plan>& plan) {
  Row row = {case_name, variant};
  if (!plan.ok()) {
    row.resize(Headings().size() - 1, "-");
    row.push_back("refused: " + plan.error().message);
    return row;
  }
  for (const int64_t number :
       {plan->static_snapshot_bytes_per_worker,
        plan->static_snapshot_allocations, plan->private_workspace_bytes,
        plan->blocked_mmas, plan->two_dimensional_mmas, plan->rolled_mmas,
        plan->full_packets_dispatched, plan->tail_packets_dispatched}) {
    row.push_back(std::to_string(number));
  }
  row.push_back(ArrayNames(*plan));
  return row;
}

// Foreign code has no plan, only what its author declares.
Row LibraryRow(const std::string& case_name, const ManifestVariant& variant) {
  Row row = {case_name, variant.name};
  row.resize(Headings().size() - 1, "-");
  row[4] = std::to_string(variant.workspace_bytes);
  row.push_back("library " + variant.library);
  return row;
}

// Columns as wide as their widest cell; the last is left ragged.
std::string Align(const std::vector<Row>& rows) {
  std::vector<size_t> widths(Headings().size(), 0);
  for (const Row& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::string text;
  for (const Row& row : rows) {
    for (size_t i = 0; i + 1 < row.size(); ++i) {
      const std::string padding(widths[i] - row[i].size(), ' ');
      const bool is_number = i >= 2;
      text += (is_number ? padding + row[i] : row[i] + padding) + "  ";
    }
    text += row.back() + "\n";
  }
  return text;
}

}  // namespace

Outcome<std::string> CapacityTable(const CommandManifest& command) {
  std::vector<Row> rows = {Headings()};
  for (const ManifestCase& c : command.manifest.cases) {
    for (const ManifestVariant& variant : c.variants) {
      if (variant.kind == "library") {
        rows.push_back(LibraryRow(c.name, variant));
        continue;
      }
      const Result<TileOptions> options =
          OptionsFor(command.manifest, c, variant);
      if (!options.ok()) return Failure{options.error()};
      auto program = ReadCase(command, c, *options);
      if (auto* failure = std::get_if<Failure>(&program)) return *failure;
      rows.push_back(
          RowOf(c.name, variant.name,
                PlanProgram(std::get<tile::Program>(program), *options)));
    }
  }
  return Align(rows);
}

}  // namespace exhibit
