// load and store: tiles to and from buffers, with what lies outside left out.

#include <algorithm>

#include "audit/interpreter/nest.h"
#include "audit/interpreter/statement.h"

namespace exhibit {
namespace {

struct Dimension {
  ScalarSource offset;
  int64_t shape = 0;
  int64_t buffer_stride = 0;
  int64_t extent = 1;  // Of the tile's axis that indexes it; 1 for none.
  int64_t tile_stride = 0;
};

// The part of a tile that lies inside the buffer: tile, then buffer.
struct Inside {
  Nest<2> nest;
  Nest<2>::PerArray start{};
  bool empty = false;
};

// Dimensions stand in the order of the buffer, which need not be the tile's: a
// store writes no element twice, so the order cannot be seen.
class Placement {
 public:
  template <typename Real>
  Placement(const tile::Program& program, const tile::View& view,
            const tile::TileType& type, Machine<Real>& machine) {
    const tile::Buffer& buffer = program.buffers.at(view.buffer);
    int64_t stride = 1;
    for (size_t i = view.dims.size(); i-- > 0;) {
      const tile::ViewDim& dim = view.dims[i];
      Dimension dimension{SourceOf(dim.offset, machine), buffer.shape.at(i),
                          stride};
      if (dim.axis != tile::kNone) {
        dimension.extent = program.axes.at(dim.axis).extent;
        dimension.tile_stride = StrideAlong(program, type, dim.axis);
      }
      dimensions_.insert(dimensions_.begin(), dimension);
      stride *= buffer.shape[i];
    }
  }

  Inside Now() const {
    Inside inside;
    for (const Dimension& dimension : dimensions_) {
      // Compared before anything is added: an offset may be any i64.
      const int64_t offset = dimension.offset.Get();
      if (offset >= dimension.shape || offset <= -dimension.extent) {
        inside.empty = true;
        return inside;
      }
      const int64_t first = std::max(int64_t{0}, -offset);
      const int64_t end = std::min(dimension.extent, dimension.shape - offset);
      inside.start[0] += first * dimension.tile_stride;
      inside.start[1] += (offset + first) * dimension.buffer_stride;
      inside.nest.AddAxis(end - first,
                          {dimension.tile_stride, dimension.buffer_stride});
    }
    return inside;
  }

 private:
  std::vector<Dimension> dimensions_;
};

template <typename T>
std::function<void()> LoadWork(Placement placement, std::vector<T>* tile,
                               const T* buffer) {
  return [=] {
    std::fill(tile->begin(), tile->end(), T{0});
    const Inside inside = placement.Now();
    if (inside.empty) return;
    T* to = tile->data();
    inside.nest.ForEachRow(
        inside.start, [=](int64_t length, const auto& at, const auto& by) {
          for (int64_t i = 0; i < length; ++i) {
            to[at[0] + i * by[0]] = buffer[at[1] + i * by[1]];
          }
        });
  };
}

template <typename T>
std::function<void()> StoreWork(Placement placement, const T* tile, T* buffer,
                                std::vector<uint8_t>* written) {
  return [=] {
    const Inside inside = placement.Now();
    if (inside.empty) return;
    uint8_t* marks = written->empty() ? nullptr : written->data();
    inside.nest.ForEachRow(
        inside.start, [=](int64_t length, const auto& at, const auto& by) {
          for (int64_t i = 0; i < length; ++i) {
            buffer[at[1] + i * by[1]] = tile[at[0] + i * by[0]];
            if (marks != nullptr) marks[at[1] + i * by[1]] = 1;
          }
        });
  };
}

}  // namespace

template <typename Real>
Statement<Real> MakeLoad(const tile::Program& program, const tile::Load& op,
                         Machine<Real>& machine) {
  const tile::TileType& type = TypeOf(program, op.result);
  const Placement placement(program, op.view, type, machine);
  TileData<Real>& tile = machine.tiles.at(op.result);
  const BufferState<Real>& buffer = machine.buffers.at(op.view.buffer);
  return {
      ElementCount(program, op.result),
      type.scalar == tile::ScalarType::kF32
          ? LoadWork<Real>(placement, &tile.f32, buffer.template Read<Real>())
          : LoadWork<int64_t>(placement, &tile.i64,
                              buffer.template Read<int64_t>()),
      {}};
}

template <typename Real>
Statement<Real> MakeStore(const tile::Program& program, const tile::Store& op,
                          Machine<Real>& machine) {
  const tile::TileType& type = TypeOf(program, op.source);
  const Placement placement(program, op.view, type, machine);
  TileData<Real>& tile = machine.tiles.at(op.source);
  BufferState<Real>& buffer = machine.buffers.at(op.view.buffer);
  return {ElementCount(program, op.source),
          type.scalar == tile::ScalarType::kF32
              ? StoreWork<Real>(placement, tile.template Data<Real>(),
                                buffer.template Write<Real>(), &buffer.written)
              : StoreWork<int64_t>(placement, tile.template Data<int64_t>(),
                                   buffer.template Write<int64_t>(),
                                   &buffer.written),
          {}};
}

template Statement<float> MakeLoad(const tile::Program&, const tile::Load&,
                                   Machine<float>&);
template Statement<double> MakeLoad(const tile::Program&, const tile::Load&,
                                    Machine<double>&);
template Statement<float> MakeStore(const tile::Program&, const tile::Store&,
                                    Machine<float>&);
template Statement<double> MakeStore(const tile::Program&, const tile::Store&,
                                     Machine<double>&);

}  // namespace exhibit
