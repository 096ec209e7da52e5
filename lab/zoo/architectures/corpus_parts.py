"""Parts that the small models of tests/corpus have in common."""

import keras
import tensorflow as tf
from keras import layers

from registry import architecture

FLOATS = ("float32",)
INTEGERS = ("int8", "int16x8")
IMAGE = (8, 8, 3)


def models(table):
    """Enters models of Keras. Each name has the shape of its input (with more of keras.Input, a
    dict), what is computed of it, and modes if they are not FLOATS."""
    for name, (shape, build, *modes) in table.items():
        def made(shape=shape, build=build):
            more = shape[-1] if isinstance(shape[-1], dict) else {}
            x = keras.Input(shape[:-1] if more else shape, **more)
            return keras.Model(x, build(x))
        architecture(name, "corpus", *modes)(made)


def functions(table):
    """Enters functions. Each name has the shapes of its inputs (float32, or a pair of shape and
    type), and what makes the function."""
    for name, (*specs, build) in table.items():
        def made(specs=specs, build=build):
            return tf.function(build, input_signature=[
                tf.TensorSpec(*spec) if isinstance(spec, tuple) else tf.TensorSpec(spec)
                for spec in specs], autograph=False)
        architecture(name, "corpus")(made)


def conv(x, filters=4, size=3, strides=1, activation="relu", **more):
    return layers.Conv2D(filters, size, strides, "same", activation=activation, **more)(x)


def weights(*shape):
    with tf.init_scope():  # a constant of the function that is made
        return tf.random.stateless_normal(shape, (1, 2)) * 0.5
