"""Parts that several families of architectures use."""

import keras
from keras import layers

ALL = ("float32", "batch1", "float16", "dynamic_int8", "int8", "int16x8", "int4")


def conv(x, filters, size=3, strides=1, activation="relu", **more):
    """A convolution that keeps the size, or divides it by the strides."""
    return layers.Conv2D(filters, size, strides, "same", activation=activation, **more)(x)


def tokens(length=None, **more):
    """An input of words."""
    return keras.Input((length,), dtype="int32", **more)
