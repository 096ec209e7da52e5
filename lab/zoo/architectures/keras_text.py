"""Text and recommendation."""

import keras
import tensorflow as tf
from keras import layers, ops

from architectures.parts import model, tokens
from registry import architecture


@architecture("seq2seq", "text")
def seq2seq():
    source, target = tokens(8, batch_size=1), tokens(6, batch_size=1)
    _, h, c = layers.LSTM(8, return_state=True)(layers.Embedding(30, 8)(source))
    x = layers.LSTM(8, return_sequences=True)(layers.Embedding(30, 8)(target),
                                              initial_state=[h, c])
    return keras.Model([source, target], layers.Dense(30, activation="softmax")(x))


@model("text", (16,), ("float32", "free", "dynamic_int8"), dtype="int32")
def text_average(inputs):
    x = layers.GlobalAveragePooling1D()(layers.Embedding(100, 16)(inputs))
    return layers.Dense(2, activation="softmax")(layers.Dense(16, activation="relu")(x))


@model("text", (20,), ("float32", "free", "dynamic_int8"), dtype="int32")
def text_cnn(inputs):
    x = layers.Embedding(100, 16)(inputs)
    x = layers.Concatenate()([layers.GlobalMaxPooling1D()(
        layers.Conv1D(8, size, activation="relu")(x)) for size in (2, 3, 4)])
    return layers.Dense(4)(x)


@model("text", (8,), ("float32", "free"), dtype="int32")
def bag_of_words(inputs):
    x = ops.max(ops.one_hot(inputs, 40), axis=1)
    return layers.Dense(3, activation="softmax")(x)


def encoder_block(x, width=32, heads=4, mask=None):
    y = layers.MultiHeadAttention(heads, width // heads)(x, x, attention_mask=mask)
    x = layers.LayerNormalization()(layers.Add()([x, y]))
    y = layers.Dense(width)(layers.Dense(2 * width, activation="gelu")(x))
    return layers.LayerNormalization()(layers.Add()([x, y]))


@model("transformer", (16, 32), ("float32", "free", "batch1", "dynamic_int8"))
def transformer_encoder(inputs):
    return encoder_block(encoder_block(inputs))


@architecture("bert", "transformer", ("float32", "batch1", "dynamic_int8"))
def bert():
    """Tokens, a padding mask, and positions counted from the length."""
    inputs, mask = tokens(16), tokens(16)
    positions = ops.arange(16)
    x = layers.Embedding(100, 32)(inputs) + layers.Embedding(16, 32)(positions)
    x = layers.LayerNormalization()(x)
    for _ in range(2):
        x = encoder_block(x, mask=ops.expand_dims(ops.cast(mask, "bool"), 1))
    return keras.Model([inputs, mask], layers.Dense(8, activation="tanh")(x[:, 0]))


@model("transformer", (None,), ("float32", "free"), dtype="int32", batch_size=1)
def gpt_any_length(inputs):
    """A causal mask and positions made from the length that comes at run time."""
    x = layers.Embedding(100, 32)(inputs)
    x = x + layers.Embedding(256, 32)(
        layers.Lambda(lambda words: tf.range(tf.shape(words)[1])[None])(inputs))
    mask = layers.Lambda(lambda words: tf.linalg.band_part(
        tf.ones((1, tf.shape(words)[1], tf.shape(words)[1])), -1, 0) > 0)(inputs)
    x = encoder_block(encoder_block(x, mask=mask), mask=mask)
    return layers.Dense(100)(x)


@architecture("two_towers", "recommendation")
def two_towers():
    user, item = tokens(1), tokens(1)
    towers = [layers.Dense(8)(layers.Flatten()(layers.Embedding(50, 8)(t))) for t in (user, item)]
    return keras.Model([user, item], layers.Dot(1, normalize=True)(towers))


@architecture("sentence_pooling", "text")
def sentence_pooling():
    table = tf.random.stateless_normal([40, 8], (1, 2))

    @tf.function(input_signature=[tf.TensorSpec([12], tf.int32)])
    def pool(words):
        segments = tf.constant([0, 0, 0, 1, 1, 2, 2, 2, 2, 3, 3, 3])
        return tf.math.segment_sum(tf.gather(table, words), segments)
    return pool


@architecture("hashing", "text")
def hashing():
    """Hashes of tokens by integer arithmetic, then a table."""
    table = tf.random.stateless_normal([64, 8], (1, 2))

    @tf.function(input_signature=[tf.TensorSpec([1, 16], tf.int32)])
    def embed(words):
        mixed = tf.bitwise.bitwise_xor(words, tf.bitwise.right_shift(words, 3))
        return tf.reduce_sum(tf.gather(table, tf.math.floormod(mixed, 64)), 1)
    return embed


@architecture("sequence_lengths", "text")
def sequence_lengths():
    """The mean over the words that are not padding; the count is an int32 SUM."""
    table = tf.random.stateless_normal([40, 8], (1, 2))

    @tf.function(input_signature=[tf.TensorSpec([None, 12], tf.int32)])
    def embed(words):
        present = tf.cast(words > 0, tf.int32)
        count = tf.maximum(tf.reduce_sum(present, 1, keepdims=True), 1)
        x = tf.gather(table, words) * tf.cast(present, tf.float32)[:, :, None]
        return tf.reduce_sum(x, 1) / tf.cast(count, tf.float32)
    return embed
