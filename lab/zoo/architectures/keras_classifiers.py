"""Classifiers of images: keras.applications, narrow, and others that people write by hand."""

import keras
from keras import applications, layers
from keras.src.applications import convnext, densenet, efficientnet, nasnet, resnet

from architectures.parts import ALL, model
from registry import architecture

SMALL = dict(input_shape=(64, 64, 3), weights=None, classes=10)

for name, modes, build in (
        ("efficientnet_b0", ("float32", "dynamic_int8", "int8"),
         lambda: efficientnet.EfficientNet(0.25, 1.0, 32, **SMALL)),
        ("mobilenet", ("float32", "float16", "int8"),
         lambda: applications.MobileNet(alpha=0.25, **SMALL)),
        ("mobilenet_v2", (*ALL, "free"), lambda: applications.MobileNetV2(alpha=0.35, **SMALL)),
        ("mobilenet_v3_small", ("float32", "batch1", "dynamic_int8", "int8"),
         lambda: applications.MobileNetV3Small(alpha=0.75, **SMALL)),
        ("densenet", ("float32", "int8"), lambda: densenet.DenseNet([2, 3, 3, 2], **SMALL)),
        ("nasnet_mobile", ("float32",), lambda: nasnet.NASNet(
            penultimate_filters=96, num_blocks=1, stem_block_filters=8, skip_reduction=False,
            filter_multiplier=2, **SMALL)),
        ("convnext_tiny", ("float32", "dynamic_int8"),
         lambda: convnext.ConvNeXt([1, 1, 2, 1], [12, 24, 48, 96], **SMALL))):
    architecture(name, "classification", modes)(build)


@architecture("resnet50_v2", "classification", ("float32", "int8"))
def resnet50_v2():
    def stacks(x):
        x = resnet.stack_residual_blocks_v2(x, 8, 3, name="conv2")
        x = resnet.stack_residual_blocks_v2(x, 16, 4, name="conv3")
        x = resnet.stack_residual_blocks_v2(x, 32, 6, name="conv4")
        return resnet.stack_residual_blocks_v2(x, 64, 3, stride1=1, name="conv5")
    return resnet.ResNet(stacks, True, True, "resnet50v2", **SMALL)


@model("classification", (32, 32, 3), ("float32", "batch1", "dynamic_int8", "int8"))
def vit(inputs):
    x = layers.Reshape((16, 32))(layers.Conv2D(32, 8, 8)(inputs))
    x = layers.Add()([x, layers.Embedding(16, 32)(keras.ops.expand_dims(
        keras.ops.arange(16), 0))])
    for _ in range(2):
        y = layers.LayerNormalization(epsilon=1e-6)(x)
        x = layers.Add()([x, layers.MultiHeadAttention(4, 8)(y, y)])
        y = layers.Dense(64, activation="gelu")(layers.LayerNormalization(epsilon=1e-6)(x))
        x = layers.Add()([x, layers.Dense(32)(y)])
    x = layers.Flatten()(layers.LayerNormalization()(x))
    return layers.Dense(10)(x)
