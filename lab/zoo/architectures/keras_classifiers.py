"""Classifiers of images: keras.applications, narrow, and others that people write by hand."""

import keras
from keras import layers
from keras.src.applications import convnext, densenet, efficientnet, efficientnet_v2, nasnet
from keras.src.applications import resnet

from architectures.parts import ALL
from registry import architecture

SMALL = dict(weights=None, classes=10)


def conv(x, filters, size=3, strides=1, activation="relu", groups=1):
    x = layers.Conv2D(filters, size, strides, "same", groups=groups, use_bias=False)(x)
    x = layers.BatchNormalization()(x)
    return layers.Activation(activation)(x) if activation else x


def head(inputs, x, classes=10):
    x = layers.GlobalAveragePooling2D()(x)
    return keras.Model(inputs, layers.Dense(classes, activation="softmax")(x))


@architecture("efficientnet_b0", "classification", ("float32", "dynamic_int8", "int8"))
def efficientnet_b0():
    return efficientnet.EfficientNet(0.25, 1.0, 32, input_shape=(64, 64, 3), **SMALL)


@architecture("efficientnet_v2_b0", "classification", ("float32", "int8"))
def efficientnet_v2_b0():
    return efficientnet_v2.EfficientNetV2(0.25, 1.0, 64, input_shape=(64, 64, 3),
                                          name="efficientnetv2-b0", **SMALL)


@architecture("mobilenet", "classification", ("float32", "float16", "int8"))
def mobilenet():
    return keras.applications.MobileNet(input_shape=(64, 64, 3), alpha=0.25, **SMALL)


@architecture("mobilenet_v2", "classification", (*ALL, "free"))
def mobilenet_v2():
    return keras.applications.MobileNetV2(input_shape=(64, 64, 3), alpha=0.35, **SMALL)


@architecture("mobilenet_v3_small", "classification", ("float32", "batch1", "dynamic_int8", "int8"))
def mobilenet_v3_small():
    return keras.applications.MobileNetV3Small(input_shape=(64, 64, 3), alpha=0.75, **SMALL)


@architecture("mobilenet_v3_large", "classification")
def mobilenet_v3_large():
    return keras.applications.MobileNetV3Large(input_shape=(64, 64, 3), alpha=0.75, **SMALL)


@architecture("resnet50_v2", "classification", ("float32", "int8"))
def resnet50_v2():
    def stacks(x):
        x = resnet.stack_residual_blocks_v2(x, 8, 3, name="conv2")
        x = resnet.stack_residual_blocks_v2(x, 16, 4, name="conv3")
        x = resnet.stack_residual_blocks_v2(x, 32, 6, name="conv4")
        return resnet.stack_residual_blocks_v2(x, 64, 3, stride1=1, name="conv5")
    return resnet.ResNet(stacks, True, True, "resnet50v2", input_shape=(64, 64, 3), **SMALL)


@architecture("resnet18", "classification", ("float32", "free", "int16x8"))
def resnet18():
    inputs = keras.Input((64, 64, 3))
    x = layers.MaxPooling2D(3, 2, "same")(conv(inputs, 8, 7, 2))
    for stage, filters in enumerate((8, 16, 32, 64)):
        for block in range(2):
            stride = 2 if stage and not block else 1
            y = conv(conv(x, filters, 3, stride), filters, activation=None)
            if stride != 1:
                x = conv(x, filters, 1, 2, None)
            x = layers.ReLU()(layers.Add()([x, y]))
    return head(inputs, x)


@architecture("densenet", "classification", ("float32", "int8"))
def dense_net():
    return densenet.DenseNet([2, 3, 3, 2], input_shape=(64, 64, 3), **SMALL)


@architecture("nasnet_mobile", "classification")
def nasnet_mobile():
    return nasnet.NASNet((64, 64, 3), 96, 1, 8, False, 2, **SMALL)


@architecture("xception", "classification")
def xception():
    inputs = keras.Input((64, 64, 3))
    x = conv(conv(inputs, 8, 3, 2), 16)
    for filters in (32, 48, 64):
        y = x
        for _ in range(2):
            y = layers.SeparableConv2D(filters, 3, padding="same", use_bias=False)(
                layers.ReLU()(y))
            y = layers.BatchNormalization()(y)
        y = layers.MaxPooling2D(3, 2, "same")(y)
        x = layers.Add()([y, conv(x, filters, 1, 2, None)])
    return head(inputs, x)


@architecture("inception", "classification", ("float32", "int8"))
def inception():
    inputs = keras.Input((48, 48, 3))
    x = conv(inputs, 16, 3, 2)
    for _ in range(2):
        branches = [conv(x, 8, 1), conv(conv(x, 8, 1), 12, 5),
                    conv(conv(conv(x, 8, 1), 12, (1, 7)), 12, (7, 1)),
                    conv(layers.AveragePooling2D(3, 1, "same")(x), 8, 1)]
        x = layers.Concatenate()(branches)
    return head(inputs, layers.Dropout(0.3)(x))


@architecture("vgg16", "classification", ("float32", "batch1", "int8", "int4"))
def vgg16():
    inputs = keras.Input((32, 32, 3))
    x = inputs
    for filters, count in ((8, 2), (16, 2), (24, 3), (32, 3)):
        for _ in range(count):
            x = layers.Conv2D(filters, 3, padding="same", activation="relu")(x)
        x = layers.MaxPooling2D()(x)
    x = layers.Dense(64, activation="relu")(layers.Flatten()(x))
    return keras.Model(inputs, layers.Dense(10, activation="softmax")(x))


@architecture("convnext_tiny", "classification", ("float32", "dynamic_int8"))
def convnext_tiny():
    return convnext.ConvNeXt([1, 1, 2, 1], [12, 24, 48, 96], input_shape=(64, 64, 3), **SMALL)


@architecture("squeezenet", "classification", ("float32", "int8"))
def squeezenet():
    inputs = keras.Input((64, 64, 3))
    x = layers.MaxPooling2D(3, 2)(layers.Conv2D(16, 3, 2, activation="relu")(inputs))
    for squeeze, expand in ((4, 8), (4, 8), (8, 16)):
        x = layers.Conv2D(squeeze, 1, activation="relu")(x)
        x = layers.Concatenate()([layers.Conv2D(expand, k, padding="same", activation="relu")(x)
                                  for k in (1, 3)])
    return head(inputs, layers.Conv2D(10, 1, activation="relu")(x))


@architecture("shufflenet", "classification", ("float32", "batch1", "int8"))
def shufflenet():
    inputs = keras.Input((32, 32, 3))
    x = conv(inputs, 24, 3, 2)
    for _ in range(2):
        y = conv(x, 24, 1, groups=3)
        size = y.shape[1:3]
        y = layers.Reshape((*size, 3, 8))(y)
        y = layers.Reshape((*size, 24))(layers.Permute((1, 2, 4, 3))(y))
        y = layers.BatchNormalization()(layers.DepthwiseConv2D(3, padding="same")(y))
        x = layers.ReLU()(layers.Add()([x, conv(y, 24, 1, groups=3, activation=None)]))
    return head(inputs, x)


@architecture("ghostnet", "classification")
def ghostnet():
    inputs = keras.Input((32, 32, 3))
    x = conv(inputs, 16, 3, 2)
    for _ in range(3):
        y = conv(x, 16, 1)
        y = layers.Concatenate()([y, layers.DepthwiseConv2D(3, padding="same")(y)])
        gate = layers.GlobalAveragePooling2D(keepdims=True)(y)
        gate = layers.Conv2D(8, 1, activation="relu")(gate)
        gate = layers.Conv2D(32, 1, activation="hard_sigmoid")(gate)
        x = layers.Add()([x, conv(layers.Multiply()([y, gate]), 16, 1, activation=None)])
    return head(inputs, x)


@architecture("mlp_mixer", "classification", ("float32", "dynamic_int8"))
def mlp_mixer():
    inputs = keras.Input((32, 32, 3))
    x = layers.Reshape((16, 32))(layers.Conv2D(32, 8, 8)(inputs))
    for _ in range(2):
        y = layers.Permute((2, 1))(layers.LayerNormalization()(x))
        y = layers.Dense(16)(layers.Dense(24, activation="gelu")(y))
        x = layers.Add()([x, layers.Permute((2, 1))(y)])
        y = layers.Dense(64, activation="gelu")(layers.LayerNormalization()(x))
        x = layers.Add()([x, layers.Dense(32)(y)])
    x = layers.GlobalAveragePooling1D()(layers.LayerNormalization()(x))
    return keras.Model(inputs, layers.Dense(10)(x))


@architecture("vit", "classification", ("float32", "batch1", "dynamic_int8", "int8"))
def vit():
    inputs = keras.Input((32, 32, 3))
    x = layers.Reshape((16, 32))(layers.Conv2D(32, 8, 8)(inputs))
    x = layers.Add()([x, layers.Embedding(16, 32)(keras.ops.expand_dims(
        keras.ops.arange(16), 0))])
    for _ in range(2):
        y = layers.LayerNormalization(epsilon=1e-6)(x)
        x = layers.Add()([x, layers.MultiHeadAttention(4, 8)(y, y)])
        y = layers.Dense(64, activation="gelu")(layers.LayerNormalization(epsilon=1e-6)(x))
        x = layers.Add()([x, layers.Dense(32)(y)])
    x = layers.Flatten()(layers.LayerNormalization()(x))
    return keras.Model(inputs, layers.Dense(10)(x))


@architecture("mnist_cnn", "classification", ALL)
def mnist_cnn():
    inputs = keras.Input((28, 28, 1))
    x = layers.Rescaling(1 / 255)(inputs)
    x = layers.Conv2D(8, 3, activation="relu")(x)
    x = layers.MaxPooling2D()(layers.Conv2D(16, 3, activation="relu")(x))
    x = layers.Dense(32, activation="relu")(layers.Dropout(0.2)(layers.Flatten()(x)))
    return keras.Model(inputs, layers.Dense(10, activation="softmax")(x))


@architecture("normalized_cnn", "classification")
def normalized_cnn():
    inputs = keras.Input((32, 32, 3))
    x = layers.Normalization(mean=[0.48, 0.46, 0.41], variance=[0.05, 0.05, 0.06])(inputs)
    return head(inputs, conv(conv(x, 16, 3, 2), 32, 3, 2, "swish"))


@architecture("attention_cnn", "classification", ("float32", "int8"))
def attention_cnn():
    """Channel and spatial attention (CBAM)."""
    inputs = keras.Input((32, 32, 3))
    x = conv(inputs, 16, 3, 2)
    mlp = keras.Sequential([layers.Dense(4, activation="relu"), layers.Dense(16)])
    gate = layers.Add()([mlp(layers.GlobalAveragePooling2D()(x)),
                         mlp(layers.GlobalMaxPooling2D()(x))])
    x = layers.Multiply()([x, layers.Reshape((1, 1, 16))(layers.Activation("sigmoid")(gate))])
    plane = layers.Concatenate()([keras.ops.mean(x, -1, keepdims=True),
                                  keras.ops.max(x, -1, keepdims=True)])
    x = layers.Multiply()([x, layers.Conv2D(1, 7, padding="same", activation="sigmoid")(plane)])
    return head(inputs, x)
