// Every op's header, for the registry.
#ifndef GLES_DELEGATE_DELEGATE_OPS_ALL_OPS_H_
#define GLES_DELEGATE_DELEGATE_OPS_ALL_OPS_H_

#include "delegate/ops/batch_matmul.h"
#include "delegate/ops/concatenation.h"
#include "delegate/ops/conv_2d.h"
#include "delegate/ops/densify.h"
#include "delegate/ops/depthwise_conv_2d.h"
#include "delegate/ops/dequantize.h"
#include "delegate/ops/elementwise.h"
#include "delegate/ops/elementwise_binary.h"
#include "delegate/ops/elementwise_unary.h"
#include "delegate/ops/fully_connected.h"
#include "delegate/ops/gather.h"
#include "delegate/ops/pack.h"
#include "delegate/ops/pad.h"
#include "delegate/ops/pool_2d.h"
#include "delegate/ops/prelu.h"
#include "delegate/ops/reduce.h"
#include "delegate/ops/reshape.h"
#include "delegate/ops/resize.h"
#include "delegate/ops/slice.h"
#include "delegate/ops/softmax.h"
#include "delegate/ops/space_depth.h"
#include "delegate/ops/split.h"
#include "delegate/ops/tile.h"
#include "delegate/ops/transpose.h"
#include "delegate/ops/transpose_conv.h"

#endif  // GLES_DELEGATE_DELEGATE_OPS_ALL_OPS_H_
