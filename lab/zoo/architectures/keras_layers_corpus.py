"""Small models for tests/corpus: layers, number formats, and ops that converters write."""

import keras
import tensorflow as tf
from keras import layers, ops

from architectures.corpus_parts import FLOATS, INTEGERS, conv, function, image, small, weights


# --- Normalizations, attention -------------------------------------------------


@small("normalization_conv", ("float32", "int8"))
def normalization_conv():
    x = image()
    y = layers.Normalization(mean=[0.4, 0.5, 0.6], variance=[0.05, 0.06, 0.07])(x)
    return keras.Model(x, conv(y))


@small("normalization_depthwise")
def normalization_depthwise():
    x = image()
    y = layers.Normalization(mean=[0.4, 0.5, 0.6], variance=[0.05, 0.06, 0.07])(x)
    return keras.Model(x, layers.DepthwiseConv2D(3, padding="same")(y))


@small("layer_norm")
def layer_norm():
    x = keras.Input((6, 8))
    return keras.Model(x, layers.LayerNormalization()(layers.Dense(8)(x)))


@small("rms_norm")
def rms_norm():
    x = keras.Input((6, 8))
    return keras.Model(x, x * ops.rsqrt(ops.mean(ops.square(x), -1, keepdims=True) + 1e-5))


@small("group_norm")
def group_norm():
    x = image()
    return keras.Model(x, layers.ReLU()(layers.GroupNormalization(2)(conv(x, 8))))


@small("instance_norm")
def instance_norm():
    x = image()
    return keras.Model(x, layers.GroupNormalization(groups=-1)(conv(x)))


@small("attention", ("float32", "batch1", "int8"))
def attention():
    x = keras.Input((6, 8))
    return keras.Model(x, layers.LayerNormalization()(
        x + layers.MultiHeadAttention(2, 4)(x, x)))


@small("row_dots")
def row_dots():
    @function([None, 6], [None, 6])
    def f(x, y):
        return tf.matmul(tf.tanh(x)[:, None, :], tf.tanh(y)[:, :, None])
    return f


@small("linear_attention")
def linear_attention():
    x = keras.Input((8, 8))
    q, k, v = (layers.Dense(8)(x) for _ in range(3))
    return keras.Model(x, ops.matmul(ops.softmax(q), ops.matmul(ops.transpose(
        ops.softmax(k, axis=1), (0, 2, 1)), v)))


@small("squeeze_excite", ("float32", "int8", "int16x8"))
def squeeze_excite():
    x = image()
    y = conv(x, 8)
    gate = layers.GlobalAveragePooling2D(keepdims=True)(y)
    gate = layers.Conv2D(8, 1, activation="sigmoid")(layers.Conv2D(4, 1, activation="relu")(gate))
    return keras.Model(x, layers.Multiply()([y, gate]))



@small("silu", ("float32", "int8", "int16x8"))
def silu():
    x = image()
    return keras.Model(x, conv(x, activation="silu"))


@small("gelu", ("float32", "int8"))
def gelu():
    x = keras.Input((6, 8))
    return keras.Model(x, layers.Dense(8, activation="gelu")(x))


@small("hard_swish", ("float32", "int8"))
def hard_swish():
    x = image()
    return keras.Model(x, conv(x, activation="hard_swish"))


@small("residual", FLOATS + INTEGERS + ("float16",))
def residual():
    x = image(8, 8, 4)
    return keras.Model(x, layers.ReLU()(x + conv(conv(x), activation=None)))


@small("inverted_residual", ("float32", "int8"))
def inverted_residual():
    x = image(8, 8, 4)
    y = layers.Conv2D(12, 1, activation="relu6")(x)
    y = layers.DepthwiseConv2D(3, padding="same", activation="relu6")(y)
    return keras.Model(x, x + layers.Conv2D(4, 1)(y))


@small("ssd_heads", ("float32", "int8", "int16x8"))
def ssd_heads():
    x = image()
    boxes, scores, y = [], [], x
    for _ in range(2):
        y = conv(y, 6, 3, 2)
        boxes.append(layers.Reshape((-1, 4))(layers.Conv2D(8, 1)(y)))
        scores.append(layers.Reshape((-1, 3))(layers.Conv2D(6, 1)(y)))
    return keras.Model(x, [layers.Concatenate(axis=1)(boxes), layers.Activation("sigmoid")(
        layers.Concatenate(axis=1)(scores))])


@small("pool_softmax", ("float32", "int8", "int16x8"))
def pool_softmax():
    x = image()
    y = layers.GlobalAveragePooling2D()(layers.AveragePooling2D(2)(conv(x, 6)))
    return keras.Model(x, layers.Softmax()(layers.Dense(4)(y)))


@small("channel_shuffle")
def channel_shuffle():
    x = image(4, 4, 6)
    y = layers.Permute((1, 2, 4, 3))(layers.Reshape((4, 4, 2, 3))(x))
    return keras.Model(x, conv(layers.Reshape((4, 4, 6))(y)))


@small("depth_to_space", ("float32", "int8"))
def depth_to_space():
    x = image()
    return keras.Model(x, layers.Lambda(lambda t: tf.nn.depth_to_space(t, 2))(conv(x, 4)))


@small("reflected_border")
def reflected_border():
    x = image()
    y = layers.Lambda(lambda t: tf.pad(t, [[0, 0], [1, 1], [1, 1], [0, 0]], "REFLECT"))(x)
    return keras.Model(x, layers.Conv2D(4, 3)(y))


@small("grouped_conv", ("float32", "int8"))
def grouped_conv():
    x = image(6, 6, 4)
    return keras.Model(x, conv(x, 8, groups=2))


@small("dilated_conv")
def dilated_conv():
    x = image()
    return keras.Model(x, conv(x, dilation_rate=2))


# --- Weights of 8 and of 4 bits: TensorFlow quantizes those of 1,024 elements and more ---


@small("hybrid_dense", ("dynamic_int8", "int4", "float16"))
def hybrid_dense():
    x = keras.Input((40,))
    return keras.Model(x, layers.Dense(32, activation="relu")(x))


@small("hybrid_conv", ("dynamic_int8", "int4"))
def hybrid_conv():
    x = image(6, 6, 12)
    return keras.Model(x, conv(x, 12))


@small("hybrid_depthwise", ("dynamic_int8",))
def hybrid_depthwise():
    x = image(6, 6, 120)
    return keras.Model(x, layers.DepthwiseConv2D(3, padding="same")(x))


@small("hybrid_attention", ("dynamic_int8",))
def hybrid_attention():
    x = keras.Input((6, 32))
    return keras.Model(x, layers.MultiHeadAttention(2, 16)(x, x))


# --- Sequences -----------------------------------------------------------------


@small("conv1d", ("float32", "int8"))
def conv1d():
    x = keras.Input((16, 3))
    return keras.Model(x, layers.MaxPooling1D()(layers.Conv1D(4, 3, activation="relu")(x)))


@small("conv1d_causal")
def conv1d_causal():
    x = keras.Input((16, 3))
    return keras.Model(x, layers.Conv1D(4, 3, padding="causal", dilation_rate=2)(x))


# TensorFlow's converter does not lower the lists of a loop of a free batch.
@small("lstm")
def lstm():
    x = keras.Input((5, 4), batch_size=1)
    return keras.Model(x, layers.Dense(2)(layers.LSTM(4)(x)))


@small("lstm_unrolled")
def lstm_unrolled():
    x = keras.Input((3, 4))
    return keras.Model(x, layers.LSTM(4, unroll=True)(x))


@small("gru")
def gru():
    x = keras.Input((5, 4), batch_size=1)
    return keras.Model(x, layers.GRU(4)(x))


@small("text_average")
def text_average():
    x = keras.Input((8,), dtype="int32")
    return keras.Model(x, layers.Dense(2)(layers.GlobalAveragePooling1D()(
        layers.Embedding(12, 6)(x))))


@small("bag_of_words")
def bag_of_words():
    x = keras.Input((6,), dtype="int32")
    return keras.Model(x, layers.Dense(2)(ops.max(ops.one_hot(x, 12), axis=1)))


@small("best_of")
def best_of():
    @function([1, 12])
    def f(x):
        scores, at = tf.math.top_k(tf.nn.softmax(x), 3)
        return scores, at, tf.argmax(x, 1, tf.int32)
    return f


@small("segment_sums")
def segment_sums():
    @function([6, 4], ([6], tf.int32))
    def f(x, segments):
        return tf.math.unsorted_segment_sum(tf.nn.relu(x), segments, 8)
    return f


@small("scatter")
def scatter():
    @function([6, 4], ([6, 1], tf.int32))
    def f(x, places):
        return tf.tanh(tf.scatter_nd(places, tf.nn.relu(x), [8, 4]))
    return f


@small("hash_tokens")
def hash_tokens():
    table = weights(16, 4)

    @function(([1, 6], tf.int32))
    def f(words):
        mixed = tf.bitwise.bitwise_xor(words, tf.bitwise.right_shift(words, 1))
        return tf.nn.relu(tf.gather(table, tf.math.floormod(mixed, 16)))
    return f


@small("mel_spectrogram")
def mel_spectrogram():
    mel = tf.signal.linear_to_mel_weight_matrix(6, 17, 8000, 80.0, 3800.0)

    @function([1, 96])
    def f(samples):
        frames = tf.abs(tf.signal.stft(samples, 32, 16, 32))
        return tf.math.log(tf.tensordot(frames, mel, 1) + 1e-3)
    return f


@small("conv3d")
def conv3d():
    x = keras.Input((4, 6, 6, 2))
    return keras.Model(x, layers.Conv3D(3, 3, 2, "same", activation="relu")(x))


@small("branch")
def branch():
    @function([1, 6])
    def f(x):
        return tf.cond(tf.reduce_sum(x) > 0, lambda: tf.nn.relu(x), lambda: tf.tanh(x))
    return f
