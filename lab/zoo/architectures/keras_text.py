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


@model("text", (20,), ("float32", "free", "dynamic_int8"), dtype="int32")
def text_cnn(inputs):
    x = layers.Embedding(100, 16)(inputs)
    x = layers.Concatenate()([layers.GlobalMaxPooling1D()(
        layers.Conv1D(8, size, activation="relu")(x)) for size in (2, 3, 4)])
    return layers.Dense(4)(x)


def encoder_block(x, width=32, heads=4, mask=None):
    y = layers.MultiHeadAttention(heads, width // heads)(x, x, attention_mask=mask)
    x = layers.LayerNormalization()(layers.Add()([x, y]))
    y = layers.Dense(width)(layers.Dense(2 * width, activation="gelu")(x))
    return layers.LayerNormalization()(layers.Add()([x, y]))


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
