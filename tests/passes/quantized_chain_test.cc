// labels: op quant softpipe
// Chains of twenty ops and more on 8- and 16-bit tensors, one after the other:
// an error of one code in any would grow. Every node computes on the integer
// path, and every code of every tensor on the way is TFLite's.
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_replace.h"
#include "tests/testing/device_test.h"
#include "tests/testing/quantized_nodes.h"

namespace gles_delegate::testing {
namespace {

// Nodes from {x} to {y}, both of 1x8x8x9; {o} is a tensor before {x}, {2} the
// version. The last `fixed` stand where they do, the others in random order.
struct Chain {
  std::vector<std::string> nodes;
  int fixed;
};

// Plus a constant of every code: what was squashed or moved to one end is
// spread again.
std::string Spread(const std::string& nodes) {
  return nodes + " -> {y}z ; ADD@2 {y}z {y}c=const:[1,8,8,9] -> {y}";
}

// A tensor less its reduction.
std::string Reduced(const std::string& op, const std::string& axes) {
  return Spread(op + "@2 {x} {y}a=" + axes +
                " keep_dims=true -> {y}r ; SUB@2 {x} {y}r");
}

// Squashing functions once each at most, so that quantized values stay spread.
Chain Elementwise() {
  return {{"CONV_2D@3 {x} {y}w=const:[9,3,3,9] {y}b=const:[9] -> {y}",
           "CONV_2D@3 {x} {y}w=const:[9,3,3,9] {y}b=const:[9] -> {y}",
           "LEAKY_RELU@2 {x} alpha=0.3 -> {y}",
           "LEAKY_RELU@2 {x} alpha=0.3 -> {y}",
           "PRELU {x} {y}a=const:[1,1,9] -> {y}",
           "ADD@2 {x} {y}c=const:[8,9] -> {y}",
           "ADD@2 {x} {y}c=const:[8,9] -> {y}",
           "SUB@2 {x} {y}c=const:[] -> {y}",
           "SUB@2 {y}c=const:[9] {x} -> {y}",
           "MUL@2 {x} {y}c=const:[1,8,8,1] -> {y}",
           "MUL@2 {y}c=const:[1,1,1,9] {x} -> {y}",
           "HARD_SWISH {x} -> {y}",
           "MAXIMUM@2 {x} {y}c=const:[9] -> {y}",
           "GELU {x} approximate=false -> {y}",
           "QUANTIZE@2 {x} -> {y}",
           "AVERAGE_POOL_2D@2 {x} filter=3 -> {y}",
           "ADD@2 {x} {o} fused_activation_function=RELU_N1_TO_1 -> {y}",
           "RELU6@2 {x} -> {y}",
           "TANH@2 {x} -> {y}",
           "LOGISTIC@2 {x} -> {y}"},
          3};
}

// What looks at more than one place or moves quantized values: as they are, to
// a tensor of another scale.
Chain Shapes() {
  return {
      {Reduced("MEAN", "(1,2)"), Reduced("MEAN", "(3)"), Reduced("MEAN", "(3)"),
       Reduced("SUM", "(3)"), Reduced("REDUCE_MAX", "(1)"),
       Reduced("REDUCE_MIN", "(2)"), Spread("SOFTMAX@2 {x} beta=1"),
       Spread("LOG_SOFTMAX@2 {x} options=none"),
       Spread("L2_NORMALIZATION@2 {x} options=none"), Spread("LOGISTIC@2 {x}"),
       Spread("AVERAGE_POOL_2D@2 {x} filter=3 -> {y}p ; "
              "MAX_POOL_2D@2 {y}p filter=3"),
       Spread("RESIZE_BILINEAR@3 {x} {y}s=(15,13) half_pixel_centers=true "
              "-> {y}p ; RESIZE_BILINEAR@3 {y}p {y}t=(8,8) "
              "align_corners=true"),
       Spread("RESIZE_NEAREST_NEIGHBOR@3 {x} {y}s=(11,16) "
              "align_corners=false -> {y}p ; RESIZE_NEAREST_NEIGHBOR@3 "
              "{y}p {y}t=(8,8) align_corners=false"),
       Spread("TRANSPOSE@2 {x} {y}s=(0,3,2,1) -> {y}p ; "
              "TRANSPOSE@2 {y}p {y}t=(0,3,2,1)"),
       Spread("SPACE_TO_DEPTH@2 {x} block_size=2 -> {y}p ; "
              "DEPTH_TO_SPACE@2 {y}p block_size=2"),
       Spread("SLICE@2 {x} {y}s=(0,1,3,0) {y}t=(1,6,5,9) -> {y}p ; "
              "PAD@2 {y}p {y}u=[4,2](0,0,1,1,2,1,0,0)"),
       Spread("RESHAPE {x} {y}s=(8,72) -> {y}p ; "
              "RESHAPE {y}p {y}t=(1,8,8,9)"),
       Spread("CONCATENATION@2 {x} {y}s=const:[1,8,8,4] axis=3 -> {y}p ; "
              "GATHER@2 {y}p {y}t=(12,0,3,1,9,8,2,5,4) axis=3")},
      0};
}

Chain OfSixteenBits() {
  const std::string spread =
      " -> {y}z ; SUB@5 {y}z {y}c=const:[9] pot_scale_int16=false -> {y}";
  const std::string less =
      " keep_dims=true -> {y}r ; SUB@5 {x} {y}r pot_scale_int16=false -> {y}";
  return {{"CONV_2D@4 {x} {y}w=const:[9,3,3,9] {y}b=const:[9] -> {y}",
           ("DEPTHWISE_CONV_2D@5 {x} {y}w=const:[1,3,3,9] {y}b=const:[9] "
            "depth_multiplier=1 -> {y}"),
           ("FULLY_CONNECTED@7 {x} {y}w=const:[9,9] {y}b=const:[9] "
            "keep_num_dims=true -> {y}"),
           // Of all pixels of a row by one another, and back to the channels.
           ("BATCH_MATMUL@3 {x} {x} adj_y=true -> {y}z ; BATCH_MATMUL@3 {y}z "
            "{x} adj_y=false -> {y}"),
           "ADD@3 {x} {y}c=const:[1,1,8,9] pot_scale_int16=false -> {y}",
           "SUB@5 {y}c=const:[9] {x} pot_scale_int16=false -> {y}",
           "MUL@4 {x} {y}c=const:[1,8,8,1] -> {y}",
           "MAXIMUM@3 {x} {y}c=const:[9] -> {y}",
           "LEAKY_RELU@2 {x} alpha=0.3 -> {y}", "QUANTIZE@2 {x} -> {y}",
           "AVERAGE_POOL_2D@3 {x} filter=3 -> {y}",
           "MEAN@2 {x} {y}a=(1,2)" + less, "MEAN@2 {x} {y}a=(3)" + less,
           ("RESIZE_BILINEAR@4 {x} {y}s=(15,13) half_pixel_centers=true -> "
            "{y}z ; RESIZE_BILINEAR@4 {y}z {y}t=(8,8) align_corners=false -> "
            "{y}"),
           ("TRANSPOSE@2 {x} {y}s=(0,3,2,1) -> {y}z ; "
            "TRANSPOSE@2 {y}z {y}t=(0,3,2,1) -> {y}"),
           "RELU6@3 {x} -> {y}", "TANH@3 {x}" + spread,
           "LOGISTIC@3 {x}" + spread, "SOFTMAX@3 {x} beta=1" + spread},
          4};
}

void ExpectChain(TensorType type, Chain chain, int seed, bool all_outputs,
                 TfLiteGlesStorage storage) {
  std::mt19937 random(seed);
  std::shuffle(chain.nodes.begin(), chain.nodes.end() - chain.fixed, random);
  std::string text, x = "x", before = "x";
  for (size_t i = 0; i < chain.nodes.size(); ++i) {
    const std::string y = absl::StrCat("t", i);
    if (i > 0) text += " ; ";
    text += absl::StrReplaceAll(chain.nodes[i],
                                {{"{x}", x}, {"{y}", y}, {"{o}", before}});
    before = x;
    x = y;
  }
  text.replace(text.find(" x "), 3, " x=[1,8,8,9] ");
  ExpectEveryCode(NodesOn(type, text, seed, all_outputs), storage);
}

class QuantizedChainTest : public DeviceTest {};

TEST_F(QuantizedChainTest, EveryTensorOnTheWay) {
  for (const Chain& chain : {Elementwise(), Shapes()}) {
    ExpectChain(TensorType::INT8, chain, 1, true,
                kTfLiteGlesStorageTextureArray);
    ExpectChain(TensorType::UINT8, chain, 2, true, kTfLiteGlesStorageBuffer);
  }
  ExpectChain(TensorType::INT16, OfSixteenBits(), 1, true,
              kTfLiteGlesStorageTextureArray);
}

TEST_F(QuantizedChainTest, Fused) {
  for (const Chain& chain : {Elementwise(), Shapes()}) {
    for (TensorType type : {TensorType::INT8, TensorType::UINT8}) {
      ExpectChain(type, chain, 3, false, kTfLiteGlesStorageTexture2d);
      ExpectChain(type, chain, 4, false, kTfLiteGlesStorageAuto);
    }
    ExpectChain(TensorType::UINT8, chain, 6, false,
                kTfLiteGlesStorageTextureArray);
  }
  ExpectChain(TensorType::INT16, OfSixteenBits(), 2, false,
              kTfLiteGlesStorageBuffer);
}

}  // namespace
}  // namespace gles_delegate::testing
