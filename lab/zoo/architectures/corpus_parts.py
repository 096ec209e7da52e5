"""Parts that the small models of tests/corpus have in common."""

import keras
import tensorflow as tf
from keras import layers

from registry import architecture

FLOATS = ("float32",)
INTEGERS = ("int8", "int16x8")


def small(name, modes=FLOATS):
    return architecture(name, "corpus", modes)


def image(*shape):
    return keras.Input(shape or (8, 8, 3))


def conv(x, filters=4, size=3, strides=1, activation="relu", **more):
    return layers.Conv2D(filters, size, strides, "same", activation=activation, **more)(x)


def function(*specs):
    """A tf.function of inputs of these shapes: float32, or a pair of shape and type."""
    return tf.function(input_signature=[
        tf.TensorSpec(*spec) if isinstance(spec, tuple) else tf.TensorSpec(spec)
        for spec in specs], autograph=False)


def weights(*shape):
    return tf.random.stateless_normal(shape, (1, 2)) * 0.5
