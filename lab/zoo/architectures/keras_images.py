"""From images to images and points."""

import keras
import tensorflow as tf
from keras import layers, ops

from architectures.parts import ALL, conv, model
from registry import architecture


@model("segmentation", (32, 32, 3), (*ALL, "free"))
def unet(inputs):
    x, skips = inputs, []
    for filters in (8, 16):
        x = conv(conv(x, filters), filters)
        skips.append(x)
        x = layers.MaxPooling2D()(x)
    x = conv(x, 32)
    for filters, skip in zip((16, 8), reversed(skips)):
        x = layers.Conv2DTranspose(filters, 2, 2, "same")(x)
        x = conv(layers.Concatenate()([x, skip]), filters)
    return layers.Conv2D(2, 1, activation="softmax")(x)


@model("segmentation", (48, 48, 3), ("float32", "int8"))
def deeplab(inputs):
    low = conv(inputs, 8, 3, 2)
    x = conv(conv(low, 16, 3, 2), 16, 3, 2)
    branches = [conv(x, 16, 1)] + [conv(x, 16, 3, dilation_rate=d) for d in (2, 3)]
    pooled = conv(layers.GlobalAveragePooling2D(keepdims=True)(x), 16, 1)
    branches.append(layers.UpSampling2D(6, interpolation="bilinear")(pooled))
    x = conv(layers.Concatenate()(branches), 16, 1)
    x = layers.UpSampling2D(4, interpolation="bilinear")(x)
    x = conv(layers.Concatenate()([x, conv(low, 4, 1)]), 16)
    return layers.UpSampling2D(2, interpolation="bilinear")(layers.Conv2D(5, 1)(x))


@model("pose", (64, 48, 3), ("float32", "free", "int8"))
def hrnet_pose(inputs):
    high = conv(conv(inputs, 8, 3, 2), 16, 3, 2)
    low = conv(high, 24, 3, 2)
    for _ in range(2):
        up = layers.UpSampling2D(interpolation="nearest")(layers.Conv2D(16, 1)(low))
        down = conv(high, 24, 3, 2, None)
        high = layers.ReLU()(layers.Add()([conv(high, 16), up]))
        low = layers.ReLU()(layers.Add()([conv(low, 24), down]))
    return layers.Conv2D(17, 1)(high)


@model("pose", (32, 32, 3), batch_size=1)
def movenet_argmax(inputs):
    """Heat maps to points by ARG_MAX, divisions and GATHER_ND."""
    x = conv(conv(inputs, 8, 3, 2), 16, 3, 2)
    heat, offsets = layers.Conv2D(5, 1)(x), layers.Conv2D(10, 1)(x)
    best = layers.Lambda(lambda h: tf.argmax(h, 1, tf.int32))(ops.reshape(heat, (1, 64, 5)))
    y, x = best // 8, best % 8
    flat = ops.reshape(offsets, (64, 10))
    moved = ops.reshape(ops.take(flat, ops.reshape(best, (5,)), axis=0)[:, :2], (1, 5, 2))
    points = ops.stack([ops.cast(y, "float32"), ops.cast(x, "float32")], axis=-1)
    return (points + moved) / 8.0


@model("super-resolution", (24, 24, 1), ("float32", "free", "float16", "int8"))
def espcn(inputs):
    x = conv(conv(inputs, 16, 5, activation="tanh"), 8, 3, activation="tanh")
    x = layers.Conv2D(9, 3, padding="same")(x)
    return layers.Lambda(lambda t: tf.nn.depth_to_space(t, 3), output_shape=(72, 72, 1))(x)


@model("GAN", (16,), ("float32", "batch1", "int8", "dynamic_int8"))
def dcgan_generator(inputs):
    x = layers.Reshape((4, 4, 16))(layers.Dense(256, use_bias=False)(inputs))
    for filters in (16, 8):
        x = layers.LeakyReLU()(layers.BatchNormalization()(x))
        x = layers.Conv2DTranspose(filters, 5, 2, "same", use_bias=False)(x)
    return layers.Conv2DTranspose(1, 5, 2, "same", activation="tanh")(x)


@architecture("diffusion_unet", "diffusion", ("float32", "batch1", "dynamic_int8"))
def diffusion_unet():
    image, time = keras.Input((16, 16, 4)), keras.Input(())
    angles = ops.expand_dims(time, -1) * ops.exp(-ops.arange(8.0) * 1.15)
    embedded = layers.Dense(16, activation="swish")(
        ops.concatenate([ops.sin(angles), ops.cos(angles)], axis=-1))

    def block(x, filters):
        y = conv(ops.silu(layers.GroupNormalization(4)(x)), filters, activation=None)
        y = y + layers.Reshape((1, 1, filters))(layers.Dense(filters)(embedded))
        y = conv(ops.silu(layers.GroupNormalization(4)(y)), filters, activation=None)
        return y + (x if x.shape[-1] == filters else layers.Conv2D(filters, 1)(x))
    a = block(layers.Conv2D(8, 3, padding="same")(image), 8)
    b = block(layers.Conv2D(16, 3, 2, "same")(a), 16)
    flat = layers.Reshape((64, 16))(layers.GroupNormalization(4)(b))
    b = b + layers.Reshape((8, 8, 16))(layers.MultiHeadAttention(2, 8)(flat, flat))
    x = block(layers.Concatenate()([layers.UpSampling2D()(b), a]), 8)
    return keras.Model([image, time], layers.Conv2D(4, 3, padding="same")(x))


@architecture("matting_grid_sample", "optical flow")
def warp():
    """An image warped bilinearly by a flow, by GATHER_ND."""
    inputs, flow = keras.Input((16, 16, 3), batch_size=1), keras.Input((16, 16, 2), batch_size=1)
    grid = ops.stack(ops.meshgrid(ops.arange(16.0), ops.arange(16.0), indexing="ij"), axis=-1)
    at = grid + flow
    low = ops.floor(at)
    part = at - low
    total = 0
    for dy in (0, 1):
        for dx in (0, 1):
            index = ops.cast(ops.clip(low + ops.array([dy, dx], "float32"), 0, 15), "int32")
            value = layers.Lambda(lambda t: tf.gather_nd(t[0][0], t[1]),
                                  output_shape=(16, 16, 3))([inputs, index])
            wy = part[..., :1] if dy else 1 - part[..., :1]
            wx = part[..., 1:] if dx else 1 - part[..., 1:]
            total = total + value * wy * wx
    return keras.Model([inputs, flow], total)
