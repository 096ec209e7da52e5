"""Small functions of a free batch and a free length: shapes that are computed when they run."""

import keras
import numpy as np
import tensorflow as tf
from keras import layers

from registry import architecture


def rows(*shape):
    """Constants of this shape."""
    return tf.constant(np.random.default_rng(1).normal(size=shape).astype("float32"))


def peaks(x):
    """CenterNet's head: the maxima of a heat map, and what two other maps say there."""
    batch = tf.shape(x)[0]
    heat = tf.sigmoid(tf.nn.conv2d(x, rows(3, 3, 4, 2) * 0.1, 1, "SAME"))  # not 1: no ties
    heat = tf.where(heat == tf.nn.max_pool2d(heat, 3, 1, "SAME"), heat, 0.)
    scores, where = tf.math.top_k(tf.reshape(heat, [batch, 16 * 16 * 2]), 5)
    sizes = tf.reshape(tf.nn.conv2d(x, rows(1, 1, 4, 2), 1, "SAME"), [batch, 256, 2])
    return scores, where % 2, tf.gather(sizes, where // 2, batch_dims=1)


def experts(x):
    """A mixture of experts: the best two of four, weighted."""
    gates, which = tf.math.top_k(tf.nn.softmax(tf.matmul(x, rows(8, 4))), 2)
    share = tf.reduce_sum(tf.one_hot(which, 4) * gates[..., None], -2)
    return tf.einsum("bed,be->bd", tf.einsum("bi,eid->bed", x, rows(4, 8, 6)), share)


def windows(x):
    """Swin's windows of 4 by 4, and back."""
    batch, height, width = (tf.shape(x)[axis] for axis in range(3))
    x = tf.reshape(x, [batch, height // 4, 4, width // 4, 4, 3])
    x = tf.reshape(tf.transpose(x, [0, 1, 3, 2, 4, 5]), [-1, 16, 3])
    x = tf.reshape(tf.nn.softmax(x, 1), [batch, height // 4, width // 4, 4, 4, 3])
    return tf.reshape(tf.transpose(x, [0, 1, 3, 2, 4, 5]), [batch, height, width, 3])


def spectrum(x):
    return tf.abs(tf.signal.stft(x, 128, 64, 128))


def mel(x):
    weights = tf.signal.linear_to_mel_weight_matrix(16, 65, 16000, 80.0, 7600.0)
    return tf.math.log(tf.tensordot(spectrum(x), weights, 1) + 1e-3)


# Name: the function, then its inputs' shapes.
FUNCTIONS = {
    "frame": (lambda x: tf.signal.frame(x, 8, 4), [None, None]),
    "stft": (spectrum, [None, None]),
    "mel": (mel, [None, None]),
    "overlap_and_add": (lambda x: tf.signal.overlap_and_add(x, 4), [None, None, 8]),
    "slice": (lambda x: tf.slice(x, [0, 2, 1], [-1, 6, 4]) * 2., [None, 12, 8]),
    "slice_length": (lambda x: tf.slice(x, [0, 2, 1], [-1, -1, 4]) * 2., [None, None, 8]),
    "crop": (lambda x: tf.nn.relu(tf.image.crop_to_bounding_box(x, 2, 3, 8, 9)),
             [None, 16, 16, 3]),
    "sort": (tf.sort, [None, 24]),
    "argsort": (lambda x: tf.argsort(x, direction="DESCENDING"), [None, 24]),
    "top_k": (lambda x: tf.math.top_k(x, 5), [None, 24]),
    "top_k_length": (lambda x: tf.math.top_k(x, 5), [None, None]),
    "einsum_heads": (lambda x: tf.einsum("btd,dhk->bthk", x, rows(8, 2, 4)), [None, None, 8]),
    "einsum_scores": (lambda q, k: tf.einsum("bthd,bshd->bhts", q, k),
                      [None, None, 2, 4], [None, None, 2, 4]),
    "einsum_product": (lambda x, y: tf.einsum("bij,bjk->bik", x, y),
                     [None, None, 8], [None, 8, None]),
    "unfold": (lambda x: keras.ops.image.extract_patches(x, 3, 2), [None, None, None, 3]),
    "windows": (windows, [None, None, None, 3]),
    "centernet_head": (peaks, [None, 16, 16, 4]),
    "experts": (experts, [None, 8]),
    "retrieval": (lambda x: tf.math.top_k(tf.matmul(tf.nn.l2_normalize(x, -1), rows(8, 40)), 4),
                  [None, 8]),
    "leading_shape": (lambda x: tf.reshape(x, tf.concat([tf.shape(x)[:0], [-1]], 0)) * 2.,
                      [None, None]),
    "broadcast_two": (lambda x, y: tf.broadcast_to(
        rows(8), tf.broadcast_dynamic_shape(tf.shape(x), tf.shape(y))) + x,
        [None, None, 8], [None, None, 8]),
    "matrix_diag": (lambda x: tf.linalg.diag(x) + 1., [None, None]),
    "reverse": (lambda x: tf.reverse(x, [1]), [None, None, 8]),
    "cumsum": (lambda x: tf.cumsum(x, 1), [None, None, 8]),
    "roll": (lambda x: tf.concat([x[:, -3:], x[:, :-3]], 1), [None, None, 8]),
    "transposed_conv": (lambda x: keras.ops.conv_transpose(x, rows(4, 4, 8), 2, "same"),
                        [None, None, 8]),
    "split_length": (lambda x: tf.concat(tf.split(x, 2, -1)[::-1], 1), [None, None, 8]),
    "normalize_length": (lambda x: x - tf.reduce_mean(x, 1, keepdims=True), [None, None, 8]),
    "tile": (lambda x: tf.tile(x, [1, 2, 1]), [None, None, 8]),
    "repeat": (lambda x: tf.repeat(x, 3, 1), [None, None, 8]),
    "meshgrid": (lambda x: x + tf.stack(tf.meshgrid(
        *(tf.linspace(0., 1., tf.shape(x)[a]) for a in (1, 2)), indexing="ij"), -1),
        [None, None, None, 2]),
}
for name, (function, *shapes) in FUNCTIONS.items():
    architecture("free_" + name, "free axes")(
        lambda function=function, shapes=shapes: tf.function(
            function, input_signature=[tf.TensorSpec(s) for s in shapes], autograph=False))


@architecture("free_upsampling_3d", "free axes")
def upsampling_3d():
    x = keras.Input((4, 4, 4, 2))
    return keras.Model(x, layers.UpSampling3D(2)(x))


@architecture("free_attention", "free axes")
def attention():
    x = keras.Input((None, 32))
    return keras.Model(x, layers.MultiHeadAttention(4, 8)(x, x))


@architecture("free_spectrogram", "free axes")
def spectrogram():
    x = keras.Input((4000,))
    return keras.Model(x, layers.MelSpectrogram(256, 128, num_mel_bins=16,
                                                sampling_rate=16000)(x))
