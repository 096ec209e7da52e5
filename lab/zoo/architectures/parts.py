"""Parts that several families of architectures use."""

import keras
from keras import layers

from registry import architecture

ALL = ("float32", "batch1", "float16", "dynamic_int8", "int8", "int16x8", "int4")


def conv(x, filters, size=3, strides=1, activation="relu", **more):
    """A convolution that keeps the size, or divides it by the strides."""
    return layers.Conv2D(filters, size, strides, "same", activation=activation, **more)(x)


def tokens(length=None, **more):
    """An input of words."""
    return keras.Input((length,), dtype="int32", **more)


def model(task, shape, modes=("float32",), **more):
    """Enters a Keras model of one input: the function makes the outputs of it."""
    def enter(build):
        @architecture(build.__name__, task, modes)
        def make():
            inputs = keras.Input(shape, **more)
            return keras.Model(inputs, build(inputs))
        return make
    return enter
