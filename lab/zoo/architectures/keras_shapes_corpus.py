"""Small models for tests/corpus: shapes that follow from the batch or the length."""

import tensorflow as tf
from keras import layers

from architectures.corpus_parts import (FLOATS, IMAGE, INTEGERS, conv, functions, models,
                                        weights)

BOTH = ("float32", "int8")


def reshape_twice(x):
    y = layers.Reshape((16, 16))(conv(x))
    return layers.Reshape((2, 8, 16))(layers.Activation("tanh")(y))


def generator(x):
    y = layers.Reshape((2, 2, 8))(layers.Dense(32)(x))
    for filters in (6, 3):
        y = layers.LeakyReLU()(layers.Conv2DTranspose(filters, 3, 2, "same")(y))
    return y


def unet(x):
    a = conv(x)
    y = conv(layers.MaxPooling2D()(a), 8)
    y = layers.Conv2DTranspose(4, 2, 2, "same")(y)
    return layers.Conv2D(2, 1)(layers.Concatenate()([y, a]))


models({
    "flatten": (IMAGE, lambda x: layers.Dense(5)(layers.Flatten()(conv(x))),
                FLOATS + INTEGERS + ("dynamic_int8", "float16", "int4", "batch1")),
    "reshape_twice": (IMAGE, reshape_twice, BOTH),
    "permute_dense": (IMAGE, lambda x: layers.Dense(5)(layers.Permute((3, 1, 2))(conv(x)))),
    "repeat_vector": (
        (6,), lambda x: layers.Dense(4)(layers.RepeatVector(3)(layers.Dense(5)(x)))),
    "dense_4d": (IMAGE, lambda x: layers.Dense(7, activation="relu")(conv(x))),
    "dense_3d": (
        (6, 8), lambda x: layers.Dense(5)(layers.Dense(8, activation="relu")(x)), BOTH),
    "conv_transpose": (
        (4, 4, 8), lambda x: layers.Conv2DTranspose(4, 3, 2, "same", activation="relu")(x),
        FLOATS + INTEGERS),
    "generator": ((8,), generator),
    "unet": (IMAGE, unet),
    "upsampling_nearest": (IMAGE, lambda x: conv(layers.UpSampling2D()(conv(x)), 3), BOTH),
    "upsampling_bilinear": (IMAGE, lambda x: conv(
        layers.UpSampling2D(interpolation="bilinear")(conv(x)), 3), BOTH),
    "global_pooling_any_size": ((None, None, 3), lambda x: layers.Dense(3)(
        layers.GlobalAveragePooling2D()(conv(x)))),
    # Batch 1, as TensorFlow's converter does not lower the lists of a loop of a free batch.
    "gru_sequence": ((None, 4, {"batch_size": 1}),
                     lambda x: layers.GRU(4, return_sequences=True)(x)),
    "conv_lstm": ((3, 5, 5, 2, {"batch_size": 1}),
                  lambda x: layers.ConvLSTM2D(3, 3, padding="same")(x)),
})


def resize_to_the_other(x):
    y = tf.nn.conv2d(x, weights(3, 3, 3, 3), 2, "SAME")
    return x + tf.image.resize(y, tf.shape(x)[1:3], "nearest")


def broadcast_to_batch(x):
    start = tf.broadcast_to(weights(1, 1, 6), [tf.shape(x)[0], 1, 6])
    return tf.nn.relu(tf.concat([start, x], 1))


def pad_to_even(x):
    length = tf.shape(x)[1]
    return tf.pad(tf.nn.relu(x), [[0, 0], [0, length % 2], [0, 0]]) + 1.0


def merge_batch_and_time(x):
    shape = tf.shape(x)
    y = tf.nn.relu(tf.matmul(tf.reshape(x, [shape[0] * shape[1], 6]), weights(6, 5)))
    return tf.reshape(y, [shape[0], shape[1], 5])


def causal_mask(x):
    at = tf.range(tf.shape(x)[1])
    scores = tf.matmul(x, x, transpose_b=True)
    mask = tf.cast(at[:, None] >= at[None, :], tf.float32)
    return tf.matmul(tf.nn.softmax(scores - 1e4 * (1 - mask)), x)


def padding_mask(words):
    present = tf.cast(words > 0, tf.int32)
    count = tf.maximum(tf.reduce_sum(present, 1, keepdims=True), 1)
    x = tf.gather(weights(12, 6), words) * tf.cast(present, tf.float32)[:, :, None]
    return tf.reduce_sum(x, 1) / tf.cast(count, tf.float32)


functions({
    "resize_to_twice": ([1, None, None, 3],
                        lambda x: tf.image.resize(tf.nn.relu(x), 2 * tf.shape(x)[1:3])),
    "resize_to_the_other": ([1, None, None, 3], resize_to_the_other),
    "broadcast_to_batch": ([None, 4, 6], broadcast_to_batch),
    "tile_by_batch": ([None, 6], lambda x: tf.tanh(x) * tf.tile(
        weights(1, 6), [tf.shape(x)[0], 1])),
    "zeros_of_batch": ([None, 4, 6], lambda x: tf.concat(
        [tf.zeros([tf.shape(x)[0], 2, 6]), tf.nn.relu(x)], 1)),
    "slice_half": ([1, None, 6], lambda x: tf.nn.relu(x)[:, :tf.shape(x)[1] // 2 + 1] * 2.0),
    "pad_to_even": ([1, None, 4], pad_to_even),
    "merge_batch_and_time": ([None, None, 6], merge_batch_and_time),
    "one_hot_of_range": ([1, None, 6], lambda x: tf.nn.relu(x) + tf.matmul(
        tf.one_hot(tf.range(tf.shape(x)[1]), 16), weights(16, 6))),
    "sum_of_range": ([1, None, 6], lambda x: tf.nn.relu(x) + tf.cast(
        tf.reduce_sum(tf.range(tf.shape(x)[1])), tf.float32)),
    "position_embedding": ([1, None, 6], lambda x: tf.nn.relu(x) + tf.gather(
        weights(16, 6), tf.range(tf.shape(x)[1]))),
    "position_slice": ([None, None, 6],
                       lambda x: tf.nn.relu(x) + weights(16, 6)[:tf.shape(x)[1]]),
    "causal_mask": ([1, None, 6], causal_mask),
    "computed_weights": ([3, 6], [5, 1, 1, 6], lambda x, y: tf.matmul(
        x, tf.reshape(tf.tanh(y), [5, 6]), transpose_b=True)),
    "divide_by_length": ([1, None, 6], lambda x: tf.reduce_sum(tf.nn.relu(x), 1) / tf.cast(
        tf.shape(x)[1], tf.float32)),
    "padding_mask": (([None, 6], tf.int32), padding_mask),
})
