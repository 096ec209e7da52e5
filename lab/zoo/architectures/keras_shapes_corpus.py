"""Small models for tests/corpus: shapes that follow from the batch or the length."""

import keras
import tensorflow as tf
from keras import layers

from architectures.corpus_parts import FLOATS, INTEGERS, conv, function, image, small, weights


@small("flatten", FLOATS + INTEGERS + ("dynamic_int8", "float16", "int4", "batch1"))
def flatten():
    x = image()
    return keras.Model(x, layers.Dense(5)(layers.Flatten()(conv(x))))


@small("reshape_twice", ("float32", "int8"))
def reshape_twice():
    x = image()
    y = layers.Reshape((16, 16))(conv(x))
    return keras.Model(x, layers.Reshape((2, 8, 16))(layers.Activation("tanh")(y)))


@small("permute_dense")
def permute_dense():
    x = image()
    return keras.Model(x, layers.Dense(5)(layers.Permute((3, 1, 2))(conv(x))))


@small("repeat_vector")
def repeat_vector():
    x = keras.Input((6,))
    return keras.Model(x, layers.Dense(4)(layers.RepeatVector(3)(layers.Dense(5)(x))))


@small("dense_4d")
def dense_4d():
    x = image()
    return keras.Model(x, layers.Dense(7, activation="relu")(conv(x)))


@small("dense_3d", ("float32", "int8"))
def dense_3d():
    x = keras.Input((6, 8))
    return keras.Model(x, layers.Dense(5)(layers.Dense(8, activation="relu")(x)))


@small("conv_transpose", FLOATS + INTEGERS)
def conv_transpose():
    x = image(4, 4, 8)
    return keras.Model(x, layers.Conv2DTranspose(4, 3, 2, "same", activation="relu")(x))


@small("generator")
def generator():
    x = keras.Input((8,))
    y = layers.Reshape((2, 2, 8))(layers.Dense(32)(x))
    for filters in (6, 3):
        y = layers.LeakyReLU()(layers.Conv2DTranspose(filters, 3, 2, "same")(y))
    return keras.Model(x, y)


@small("unet")
def unet():
    x = image()
    a = conv(x)
    y = conv(layers.MaxPooling2D()(a), 8)
    y = layers.Conv2DTranspose(4, 2, 2, "same")(y)
    return keras.Model(x, layers.Conv2D(2, 1)(layers.Concatenate()([y, a])))


@small("upsampling_nearest", ("float32", "int8"))
def upsampling_nearest():
    x = image()
    return keras.Model(x, conv(layers.UpSampling2D()(conv(x)), 3))


@small("upsampling_bilinear", ("float32", "int8"))
def upsampling_bilinear():
    x = image()
    return keras.Model(x, conv(layers.UpSampling2D(interpolation="bilinear")(conv(x)), 3))


@small("resize_to_twice")
def resize_to_twice():
    @function([1, None, None, 3])
    def f(x):
        return tf.image.resize(tf.nn.relu(x), 2 * tf.shape(x)[1:3])
    return f


@small("resize_to_the_other")
def resize_to_the_other():
    kernel = weights(3, 3, 3, 3)

    @function([1, None, None, 3])
    def f(x):
        y = tf.nn.conv2d(x, kernel, 2, "SAME")
        return x + tf.image.resize(y, tf.shape(x)[1:3], "nearest")
    return f


@small("global_pooling_any_size")
def global_pooling_any_size():
    x = keras.Input((None, None, 3))
    return keras.Model(x, layers.Dense(3)(layers.GlobalAveragePooling2D()(conv(x))))


@small("broadcast_to_batch")
def broadcast_to_batch():
    token = weights(1, 1, 6)

    @function([None, 4, 6])
    def f(x):
        start = tf.broadcast_to(token, [tf.shape(x)[0], 1, 6])
        return tf.nn.relu(tf.concat([start, x], 1))
    return f


@small("tile_by_batch")
def tile_by_batch():
    row = weights(1, 6)

    @function([None, 6])
    def f(x):
        return tf.tanh(x) * tf.tile(row, [tf.shape(x)[0], 1])
    return f


@small("zeros_of_batch")
def zeros_of_batch():
    @function([None, 4, 6])
    def f(x):
        return tf.concat([tf.zeros([tf.shape(x)[0], 2, 6]), tf.nn.relu(x)], 1)
    return f


@small("slice_half")
def slice_half():
    @function([1, None, 6])
    def f(x):
        return tf.nn.relu(x)[:, :tf.shape(x)[1] // 2 + 1] * 2.0
    return f


@small("pad_to_even")
def pad_to_even():
    @function([1, None, 4])
    def f(x):
        length = tf.shape(x)[1]
        return tf.pad(tf.nn.relu(x), [[0, 0], [0, length % 2], [0, 0]]) + 1.0
    return f


@small("merge_batch_and_time")
def merge_batch_and_time():
    matrix = weights(6, 5)

    @function([None, None, 6])
    def f(x):
        shape = tf.shape(x)
        y = tf.nn.relu(tf.matmul(tf.reshape(x, [shape[0] * shape[1], 6]), matrix))
        return tf.reshape(y, [shape[0], shape[1], 5])
    return f


@small("one_hot_of_range")
def one_hot_of_range():
    table = weights(16, 6)

    @function([1, None, 6])
    def f(x):
        return tf.nn.relu(x) + tf.matmul(tf.one_hot(tf.range(tf.shape(x)[1]), 16), table)
    return f


@small("sum_of_range")
def sum_of_range():
    @function([1, None, 6])
    def f(x):
        return tf.nn.relu(x) + tf.cast(tf.reduce_sum(tf.range(tf.shape(x)[1])), tf.float32)
    return f


@small("position_embedding")
def position_embedding():
    table = weights(16, 6)

    @function([1, None, 6])
    def f(x):
        return tf.nn.relu(x) + tf.gather(table, tf.range(tf.shape(x)[1]))
    return f


@small("position_slice")
def position_slice():
    table = weights(16, 6)

    @function([None, None, 6])
    def f(x):
        return tf.nn.relu(x) + table[:tf.shape(x)[1]]
    return f


@small("causal_mask")
def causal_mask():
    @function([1, None, 6])
    def f(x):
        at = tf.range(tf.shape(x)[1])
        scores = tf.matmul(x, x, transpose_b=True)
        mask = tf.cast(at[:, None] >= at[None, :], tf.float32)
        return tf.matmul(tf.nn.softmax(scores - 1e4 * (1 - mask)), x)
    return f


@small("computed_weights")
def computed_weights():
    @function([3, 6], [5, 1, 1, 6])
    def f(x, y):
        return tf.matmul(x, tf.reshape(tf.tanh(y), [5, 6]), transpose_b=True)
    return f


@small("divide_by_length")
def divide_by_length():
    @function([1, None, 6])
    def f(x):
        return tf.reduce_sum(tf.nn.relu(x), 1) / tf.cast(tf.shape(x)[1], tf.float32)
    return f


@small("padding_mask")
def padding_mask():
    table = weights(12, 6)

    @function(([None, 6], tf.int32))
    def f(words):
        present = tf.cast(words > 0, tf.int32)
        count = tf.maximum(tf.reduce_sum(present, 1, keepdims=True), 1)
        x = tf.gather(table, words) * tf.cast(present, tf.float32)[:, :, None]
        return tf.reduce_sum(x, 1) / tf.cast(count, tf.float32)
    return f


# Batch 1, as TensorFlow's converter does not lower the lists of a loop of a free batch.
@small("gru_sequence")
def gru_sequence():
    x = keras.Input((None, 4), batch_size=1)
    return keras.Model(x, layers.GRU(4, return_sequences=True)(x))


@small("conv_lstm")
def conv_lstm():
    x = keras.Input((3, 5, 5, 2), batch_size=1)
    return keras.Model(x, layers.ConvLSTM2D(3, 3, padding="same")(x))
