"""Small models for tests/corpus: layers, number formats, and ops that converters write."""

import tensorflow as tf
from keras import layers, ops

from architectures.corpus_parts import (FLOATS, IMAGE, INTEGERS, conv, functions, models,
                                        weights)

BOTH, ALL = ("float32", "int8"), FLOATS + INTEGERS


def normalized(x):
    return layers.Normalization(mean=[0.4, 0.5, 0.6], variance=[0.05, 0.06, 0.07])(x)


def linear_attention(x):
    q, k, v = (layers.Dense(8)(x) for _ in range(3))
    return ops.matmul(ops.softmax(q), ops.matmul(ops.transpose(
        ops.softmax(k, axis=1), (0, 2, 1)), v))


def squeeze_excite(x):
    y = conv(x, 8)
    gate = layers.GlobalAveragePooling2D(keepdims=True)(y)
    gate = layers.Conv2D(8, 1, activation="sigmoid")(layers.Conv2D(4, 1, activation="relu")(gate))
    return layers.Multiply()([y, gate])


def inverted_residual(x):
    y = layers.Conv2D(12, 1, activation="relu6")(x)
    y = layers.DepthwiseConv2D(3, padding="same", activation="relu6")(y)
    return x + layers.Conv2D(4, 1)(y)


def ssd_heads(x):
    boxes, scores, y = [], [], x
    for _ in range(2):
        y = conv(y, 6, 3, 2)
        boxes.append(layers.Reshape((-1, 4))(layers.Conv2D(8, 1)(y)))
        scores.append(layers.Reshape((-1, 3))(layers.Conv2D(6, 1)(y)))
    return [layers.Concatenate(axis=1)(boxes), layers.Activation("sigmoid")(
        layers.Concatenate(axis=1)(scores))]


def pool_softmax(x):
    y = layers.GlobalAveragePooling2D()(layers.AveragePooling2D(2)(conv(x, 6)))
    return layers.Softmax()(layers.Dense(4)(y))


def channel_shuffle(x):
    y = layers.Permute((1, 2, 4, 3))(layers.Reshape((4, 4, 2, 3))(x))
    return conv(layers.Reshape((4, 4, 6))(y))


def reflected_border(x):
    y = layers.Lambda(lambda t: tf.pad(t, [[0, 0], [1, 1], [1, 1], [0, 0]], "REFLECT"))(x)
    return layers.Conv2D(4, 3)(y)


models({
    "normalization_conv": (IMAGE, lambda x: conv(normalized(x)), BOTH),
    "normalization_depthwise": (
        IMAGE, lambda x: layers.DepthwiseConv2D(3, padding="same")(normalized(x))),
    "layer_norm": ((6, 8), lambda x: layers.LayerNormalization()(layers.Dense(8)(x))),
    "rms_norm": (
        (6, 8), lambda x: x * ops.rsqrt(ops.mean(ops.square(x), -1, keepdims=True) + 1e-5)),
    "group_norm": (IMAGE, lambda x: layers.ReLU()(layers.GroupNormalization(2)(conv(x, 8)))),
    "instance_norm": (IMAGE, lambda x: layers.GroupNormalization(groups=-1)(conv(x))),
    "attention": ((6, 8), lambda x: layers.LayerNormalization()(
        x + layers.MultiHeadAttention(2, 4)(x, x)), ("float32", "batch1", "int8")),
    "linear_attention": ((8, 8), linear_attention),
    "squeeze_excite": (IMAGE, squeeze_excite, ALL),
    "silu": (IMAGE, lambda x: conv(x, activation="silu"), ALL),
    "gelu": ((6, 8), lambda x: layers.Dense(8, activation="gelu")(x), BOTH),
    "hard_swish": (IMAGE, lambda x: conv(x, activation="hard_swish"), BOTH),
    "residual": ((8, 8, 4), lambda x: layers.ReLU()(x + conv(conv(x), activation=None)),
                 ALL + ("float16",)),
    "inverted_residual": ((8, 8, 4), inverted_residual, BOTH),
    "ssd_heads": (IMAGE, ssd_heads, ALL),
    "pool_softmax": (IMAGE, pool_softmax, ALL),
    "channel_shuffle": ((4, 4, 6), channel_shuffle),
    "depth_to_space": (
        IMAGE, lambda x: layers.Lambda(lambda t: tf.nn.depth_to_space(t, 2))(conv(x, 4)), BOTH),
    "reflected_border": (IMAGE, reflected_border),
    "grouped_conv": ((6, 6, 4), lambda x: conv(x, 8, groups=2), BOTH),
    "dilated_conv": (IMAGE, lambda x: conv(x, dilation_rate=2)),
    # Weights of 8 and of 4 bits: TensorFlow quantizes those of 1,024 elements and more.
    "hybrid_dense": ((40,), lambda x: layers.Dense(32, activation="relu")(x),
                     ("dynamic_int8", "int4", "float16")),
    "hybrid_conv": ((6, 6, 12), lambda x: conv(x, 12), ("dynamic_int8", "int4")),
    "hybrid_depthwise": ((6, 6, 120), lambda x: layers.DepthwiseConv2D(3, padding="same")(x),
                         ("dynamic_int8",)),
    "hybrid_attention": ((6, 32), lambda x: layers.MultiHeadAttention(2, 16)(x, x),
                         ("dynamic_int8",)),
    # Sequences.
    "conv1d": ((16, 3), lambda x: layers.MaxPooling1D()(
        layers.Conv1D(4, 3, activation="relu")(x)), BOTH),
    "conv1d_causal": (
        (16, 3), lambda x: layers.Conv1D(4, 3, padding="causal", dilation_rate=2)(x)),
    # TensorFlow's converter does not lower the lists of a loop of a free batch.
    "lstm": ((5, 4, {"batch_size": 1}), lambda x: layers.Dense(2)(layers.LSTM(4)(x))),
    "lstm_unrolled": ((3, 4), lambda x: layers.LSTM(4, unroll=True)(x)),
    "gru": ((5, 4, {"batch_size": 1}), lambda x: layers.GRU(4)(x)),
    "text_average": ((8, {"dtype": "int32"}), lambda x: layers.Dense(2)(
        layers.GlobalAveragePooling1D()(layers.Embedding(12, 6)(x)))),
    "bag_of_words": ((6, {"dtype": "int32"}),
                     lambda x: layers.Dense(2)(ops.max(ops.one_hot(x, 12), axis=1))),
    "conv3d": ((4, 6, 6, 2), lambda x: layers.Conv3D(3, 3, 2, "same", activation="relu")(x)),
})


def best_of(x):
    scores, at = tf.math.top_k(tf.nn.softmax(x), 3)
    return scores, at, tf.argmax(x, 1, tf.int32)


def hash_tokens(words):
    mixed = tf.bitwise.bitwise_xor(words, tf.bitwise.right_shift(words, 1))
    return tf.nn.relu(tf.gather(weights(16, 4), tf.math.floormod(mixed, 16)))


def mel_spectrogram(samples):
    with tf.init_scope():
        mel = tf.signal.linear_to_mel_weight_matrix(6, 17, 8000, 80.0, 3800.0)
    frames = tf.abs(tf.signal.stft(samples, 32, 16, 32))
    return tf.math.log(tf.tensordot(frames, mel, 1) + 1e-3)


functions({
    "row_dots": ([None, 6], [None, 6],
                 lambda x, y: tf.matmul(tf.tanh(x)[:, None, :], tf.tanh(y)[:, :, None])),
    "best_of": ([1, 12], best_of),
    "segment_sums": ([6, 4], ([6], tf.int32), lambda x, segments:
                     tf.math.unsorted_segment_sum(tf.nn.relu(x), segments, 8)),
    "scatter": ([6, 4], ([6, 1], tf.int32), lambda x, places:
                tf.tanh(tf.scatter_nd(places, tf.nn.relu(x), [8, 4]))),
    "hash_tokens": (([1, 6], tf.int32), hash_tokens),
    "mel_spectrogram": ([1, 96], mel_spectrogram),
    "branch": ([1, 6], lambda x: tf.cond(
        tf.reduce_sum(x) > 0, lambda: tf.nn.relu(x), lambda: tf.tanh(x))),
})
