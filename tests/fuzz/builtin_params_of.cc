// A builtin op's options of the .tflite file as TFLite's parameter struct.
#include <cstring>

#include "delegate/graph/builtin_codes.h"
#include "delegate/graph/builtin_params.h"
#include "tests/fuzz/fake_runtime.h"

namespace gles_delegate::fuzz {
namespace {

// Each Fill writes one options table to one parameter struct. Enumerations go
// over as the numbers that they are, known or not.
int Padding(schema::Padding padding) { return static_cast<int>(padding) + 1; }
template <typename Options>
int Activation(const Options& options) {
  return static_cast<int>(options.fused_activation_function());
}

void Fill(const schema::Conv2DOptions& o, ConvParams* p) {
  p->padding = Padding(o.padding());
  p->stride_width = o.stride_w();
  p->stride_height = o.stride_h();
  p->activation = Activation(o);
  p->dilation_width_factor = o.dilation_w_factor();
  p->dilation_height_factor = o.dilation_h_factor();
}

void Fill(const schema::DepthwiseConv2DOptions& o, DepthwiseConvParams* p) {
  p->padding = Padding(o.padding());
  p->stride_width = o.stride_w();
  p->stride_height = o.stride_h();
  p->depth_multiplier = o.depth_multiplier();
  p->activation = Activation(o);
  p->dilation_width_factor = o.dilation_w_factor();
  p->dilation_height_factor = o.dilation_h_factor();
}

void Fill(const schema::Conv3DOptions& o, Conv3dParams* p) {
  p->padding = Padding(o.padding());
  p->stride_width = o.stride_w();
  p->stride_height = o.stride_h();
  p->stride_depth = o.stride_d();
  p->activation = Activation(o);
  p->dilation_width_factor = o.dilation_w_factor();
  p->dilation_height_factor = o.dilation_h_factor();
  p->dilation_depth_factor = o.dilation_d_factor();
}

void Fill(const schema::Pool2DOptions& o, PoolParams* p) {
  p->padding = Padding(o.padding());
  p->stride_width = o.stride_w();
  p->stride_height = o.stride_h();
  p->filter_width = o.filter_width();
  p->filter_height = o.filter_height();
  p->activation = Activation(o);
}

void Fill(const schema::FullyConnectedOptions& o, FullyConnectedParams* p) {
  p->activation = Activation(o);
  p->weights_format = static_cast<int>(o.weights_format());
  p->keep_num_dims = o.keep_num_dims();
  p->asymmetric_quantize_inputs = o.asymmetric_quantize_inputs();
}

void Fill(const schema::TransposeConvOptions& o, TransposeConvParams* p) {
  p->padding = Padding(o.padding());
  p->stride_width = o.stride_w();
  p->stride_height = o.stride_h();
  p->activation = Activation(o);
}

void Fill(const schema::AddOptions& o, AddParams* p) {
  *p = {Activation(o), o.pot_scale_int16()};
}
void Fill(const schema::SubOptions& o, AddParams* p) {
  *p = {Activation(o), o.pot_scale_int16()};
}
void Fill(const schema::MulOptions& o, ActivationParams* p) {
  p->activation = Activation(o);
}
void Fill(const schema::DivOptions& o, ActivationParams* p) {
  p->activation = Activation(o);
}
void Fill(const schema::L2NormOptions& o, ActivationParams* p) {
  p->activation = Activation(o);
}
void Fill(const schema::ConcatenationOptions& o, ConcatenationParams* p) {
  *p = {o.axis(), Activation(o)};
}
void Fill(const schema::SoftmaxOptions& o, SoftmaxParams* p) {
  p->beta = o.beta();
}
void Fill(const schema::ResizeBilinearOptions& o, ResizeParams* p) {
  *p = {o.align_corners(), o.half_pixel_centers()};
}
void Fill(const schema::ResizeNearestNeighborOptions& o, ResizeParams* p) {
  *p = {o.align_corners(), o.half_pixel_centers()};
}
void Fill(const schema::StridedSliceOptions& o, StridedSliceParams* p) {
  *p = {o.begin_mask(),    o.end_mask(),         o.ellipsis_mask(),
        o.new_axis_mask(), o.shrink_axis_mask(), o.offset()};
}
void Fill(const schema::ReducerOptions& o, ReducerParams* p) {
  p->keep_dims = o.keep_dims();
}
void Fill(const schema::GatherOptions& o, GatherParams* p) {
  *p = {o.axis(), o.batch_dims()};
}
void Fill(const schema::PackOptions& o, PackParams* p) {
  *p = {o.values_count(), o.axis()};
}
void Fill(const schema::UnpackOptions& o, UnpackParams* p) {
  *p = {o.num(), o.axis()};
}
void Fill(const schema::OneHotOptions& o, OneHotParams* p) {
  p->axis = o.axis();
}
void Fill(const schema::BatchMatMulOptions& o, BatchMatMulParams* p) {
  *p = {o.adj_x(), o.adj_y(), o.asymmetric_quantize_inputs()};
}
void Fill(const schema::CumsumOptions& o, CumsumParams* p) {
  *p = {o.exclusive(), o.reverse()};
}
void Fill(const schema::GeluOptions& o, GeluParams* p) {
  p->approximate = o.approximate();
}
void Fill(const schema::LeakyReluOptions& o, LeakyReluParams* p) {
  p->alpha = o.alpha();
}
void Fill(const schema::MirrorPadOptions& o, MirrorPadParams* p) {
  p->mode = static_cast<int>(o.mode()) + 1;
}
void Fill(const schema::LSTMOptions& o, LstmParams* p) {
  *p = {Activation(o), o.cell_clip(), o.proj_clip(),
        static_cast<int>(o.kernel_type()), o.asymmetric_quantize_inputs()};
}
void Fill(const schema::UnidirectionalSequenceLSTMOptions& o,
          SequenceLstmParams* p) {
  *p = {Activation(o),
        o.cell_clip(),
        o.proj_clip(),
        o.time_major(),
        o.asymmetric_quantize_inputs(),
        o.diagonal_recurrent_tensors()};
}
void Fill(const schema::SVDFOptions& o, SvdfParams* p) {
  *p = {o.rank(), Activation(o), o.asymmetric_quantize_inputs()};
}
void Fill(const schema::LocalResponseNormalizationOptions& o,
          LocalResponseNormParams* p) {
  *p = {o.radius(), o.bias(), o.alpha(), o.beta()};
}
void Fill(const schema::ReverseSequenceOptions& o, ReverseSequenceParams* p) {
  *p = {o.seq_dim(), o.batch_dim()};
}
void Fill(const schema::WhileOptions& o, WhileParams* p) {
  *p = {o.cond_subgraph_index(), o.body_subgraph_index()};
}
void Fill(const schema::SpaceToDepthOptions& o, SpaceDepthParams* p) {
  p->block_size = o.block_size();
}
void Fill(const schema::DepthToSpaceOptions& o, SpaceDepthParams* p) {
  p->block_size = o.block_size();
}

}  // namespace

std::vector<uint8_t> BuiltinParamsOf(const schema::Operator& op,
                                     int builtin_code) {
  std::vector<uint8_t> bytes(256);
  if (builtin_code == BuiltinOperator_STABLEHLO_COMPOSITE) {
    CompositeParams params = {};
    if (const auto* o = op.builtin_options_2_as_StableHLOCompositeOptions()) {
      params.name = o->name() == nullptr ? nullptr : o->name()->c_str();
      params.subgraph = o->decomposition_subgraph_index();
      params.version = o->version();
    }
    std::memcpy(bytes.data(), &params, sizeof(params));
    return bytes;
  }
#define GLES_FUZZ_PARAMS(Options, Params)                        \
  if (const auto* o = op.builtin_options_as_##Options()) {       \
    Params params = {};                                          \
    Fill(*o, &params);                                           \
    static_assert(sizeof(params) <= 256, "room for the struct"); \
    std::memcpy(bytes.data(), &params, sizeof(params));          \
  }
  GLES_FUZZ_PARAMS(Conv2DOptions, ConvParams)
  GLES_FUZZ_PARAMS(DepthwiseConv2DOptions, DepthwiseConvParams)
  GLES_FUZZ_PARAMS(Pool2DOptions, PoolParams)
  GLES_FUZZ_PARAMS(FullyConnectedOptions, FullyConnectedParams)
  GLES_FUZZ_PARAMS(TransposeConvOptions, TransposeConvParams)
  GLES_FUZZ_PARAMS(AddOptions, AddParams)
  GLES_FUZZ_PARAMS(SubOptions, AddParams)
  GLES_FUZZ_PARAMS(MulOptions, ActivationParams)
  GLES_FUZZ_PARAMS(DivOptions, ActivationParams)
  GLES_FUZZ_PARAMS(L2NormOptions, ActivationParams)
  GLES_FUZZ_PARAMS(ConcatenationOptions, ConcatenationParams)
  GLES_FUZZ_PARAMS(SoftmaxOptions, SoftmaxParams)
  GLES_FUZZ_PARAMS(ResizeBilinearOptions, ResizeParams)
  GLES_FUZZ_PARAMS(ResizeNearestNeighborOptions, ResizeParams)
  GLES_FUZZ_PARAMS(StridedSliceOptions, StridedSliceParams)
  GLES_FUZZ_PARAMS(ReducerOptions, ReducerParams)
  GLES_FUZZ_PARAMS(GatherOptions, GatherParams)
  GLES_FUZZ_PARAMS(PackOptions, PackParams)
  GLES_FUZZ_PARAMS(UnpackOptions, UnpackParams)
  GLES_FUZZ_PARAMS(OneHotOptions, OneHotParams)
  GLES_FUZZ_PARAMS(BatchMatMulOptions, BatchMatMulParams)
  GLES_FUZZ_PARAMS(CumsumOptions, CumsumParams)
  GLES_FUZZ_PARAMS(GeluOptions, GeluParams)
  GLES_FUZZ_PARAMS(LeakyReluOptions, LeakyReluParams)
  GLES_FUZZ_PARAMS(MirrorPadOptions, MirrorPadParams)
  GLES_FUZZ_PARAMS(LSTMOptions, LstmParams)
  GLES_FUZZ_PARAMS(UnidirectionalSequenceLSTMOptions, SequenceLstmParams)
  GLES_FUZZ_PARAMS(SVDFOptions, SvdfParams)
  GLES_FUZZ_PARAMS(LocalResponseNormalizationOptions, LocalResponseNormParams)
  GLES_FUZZ_PARAMS(ReverseSequenceOptions, ReverseSequenceParams)
  GLES_FUZZ_PARAMS(Conv3DOptions, Conv3dParams)
  GLES_FUZZ_PARAMS(WhileOptions, WhileParams)
  GLES_FUZZ_PARAMS(SpaceToDepthOptions, SpaceDepthParams)
  GLES_FUZZ_PARAMS(DepthToSpaceOptions, SpaceDepthParams)
#undef GLES_FUZZ_PARAMS
  return bytes;
}

}  // namespace gles_delegate::fuzz
