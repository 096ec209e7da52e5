// TFLite's parameter structs of builtin ops (node->builtin_data), which its C
// API package lacks, with the layout of c/builtin_op_data.h from TFLite 2.5 to
// LiteRT 2.x: enums have the size of int, and fields were only appended. Fields
// newer than 2.5 are declared only if used, and read only if
// NodeView::HasField(): the node's version introduced them, or the runtime is
// new enough. (The tflite-runtime wheels 2.13 and 2.14 allocate
// TRANSPOSE_CONV's activation, and only 2.14 STRIDED_SLICE's offset.)
#ifndef GLES_DELEGATE_DELEGATE_GRAPH_BUILTIN_PARAMS_H_
#define GLES_DELEGATE_DELEGATE_GRAPH_BUILTIN_PARAMS_H_

#include <cstddef>
#include <cstdint>

namespace gles_delegate {

// TFLite's bool as a byte: a file may set it to neither 0 nor 1, and reading
// such a bool is undefined in C++.
using Flag = uint8_t;

// TfLitePadding
constexpr int kPaddingUnknown = 0;
constexpr int kPaddingSame = 1;
constexpr int kPaddingValid = 2;

// TfLiteFusedActivation
constexpr int kActNone = 0;
constexpr int kActRelu = 1;
constexpr int kActReluN1To1 = 2;
constexpr int kActRelu6 = 3;
constexpr int kActTanh = 4;
constexpr int kActSigmoid = 6;

struct ConvParams {
  int padding;
  int stride_width;
  int stride_height;
  int activation;
  int dilation_width_factor;
  int dilation_height_factor;
};

struct DepthwiseConvParams {
  int padding;
  int stride_width;
  int stride_height;
  int depth_multiplier;  // ignored by TFLite's kernel, which derives it
  int activation;
  int dilation_width_factor;
  int dilation_height_factor;
};

struct PoolParams {
  int padding;
  int stride_width;
  int stride_height;
  int filter_width;
  int filter_height;
  int activation;
};

struct FullyConnectedParams {
  int activation;
  int weights_format;  // 0: default
  Flag keep_num_dims;
  Flag asymmetric_quantize_inputs;
};

// If KernelTraits::int16_rows_name_bias_type.
struct NewerFullyConnectedParams {
  FullyConnectedParams older;
  int quantized_bias_type;  // a TfLiteType, of a bias that is missing
};
constexpr int kTfLiteTypeInt64 = 4;

struct TransposeConvParams {
  int padding;
  int stride_width;
  int stride_height;
  int activation;  // appended with version 4
};

struct Conv3dParams {  // CONV_3D_TRANSPOSE too
  int padding;
  int stride_width;
  int stride_height;
  int stride_depth;
  int dilation_width_factor;
  int dilation_height_factor;
  int dilation_depth_factor;
  int activation;
};

struct AddParams {  // SUB too
  int activation;
  Flag pot_scale_int16;
};

struct ActivationParams {  // MUL, DIV, L2_NORMALIZATION
  int activation;
};

struct ConcatenationParams {
  int axis;
  int activation;
};

struct SoftmaxParams {
  float beta;
};

struct ResizeParams {  // RESIZE_BILINEAR, RESIZE_NEAREST_NEIGHBOR
  Flag align_corners;
  Flag half_pixel_centers;
};

struct StridedSliceParams {
  int begin_mask;
  int end_mask;
  int ellipsis_mask;
  int new_axis_mask;
  int shrink_axis_mask;
  Flag offset;  // appended with version 8
};

struct ReducerParams {
  Flag keep_dims;
};

struct GatherParams {
  int axis;
  int batch_dims;
};

struct PackParams {
  int values_count;
  int axis;
};

struct UnpackParams {
  int num;
  int axis;
};

struct OneHotParams {
  int axis;
};

struct BatchMatMulParams {
  Flag adj_x;
  Flag adj_y;
  Flag asymmetric_quantize_inputs;
};

struct CumsumParams {
  Flag exclusive;
  Flag reverse;
};

struct GeluParams {
  Flag approximate;
};

struct LeakyReluParams {
  float alpha;
};

struct MirrorPadParams {
  int mode;  // 1 reflect, 2 symmetric
};

// TfLiteLSTMKernelType
constexpr int kLstmFull = 0;
constexpr int kLstmBasic = 1;

struct LstmParams {
  int activation;
  float cell_clip;
  float proj_clip;
  int kernel_type;  // 0 full, 1 basic
  Flag asymmetric_quantize_inputs;
};

struct SequenceLstmParams {
  int activation;
  float cell_clip;
  float proj_clip;
  Flag time_major;
  Flag asymmetric_quantize_inputs;
  Flag diagonal_recurrent_tensors;  // appended with version 4
};

struct SvdfParams {
  int rank;
  int activation;
  Flag asymmetric_quantize_inputs;
};

struct LocalResponseNormParams {
  int radius;
  float bias;
  float alpha;
  float beta;
};

struct ReverseSequenceParams {
  int seq_dim;
  int batch_dim;
};

struct CompositeParams {  // STABLEHLO_COMPOSITE
  const char* name;
  int32_t subgraph;  // the decomposition, by its place in the file
  const uint8_t* attributes;
  size_t attributes_size;
  int32_t version;
};

struct WhileParams {
  int condition;  // subgraphs, by their places in the file
  int body;
};

struct IfParams {
  int then_branch;  // subgraphs, by their places in the file
  int else_branch;
};

struct CallOnceParams {
  int initialization;  // a subgraph, by its place in the file
};

struct SpaceDepthParams {  // SPACE_TO_DEPTH, DEPTH_TO_SPACE
  int block_size;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_GRAPH_BUILTIN_PARAMS_H_
