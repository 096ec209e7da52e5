"""Audio, speech, time series, points, graphs."""

import numpy as np
import tensorflow as tf
from keras import layers, ops

from architectures.parts import model
from registry import architecture


@model("speech", (49, 10, 1), ("float32", "int8", "int16x8"))
def keyword_ds_cnn(inputs):
    x = layers.ReLU()(layers.BatchNormalization()(
        layers.Conv2D(16, (10, 4), 2, "same")(inputs)))
    for _ in range(3):
        x = layers.ReLU()(layers.BatchNormalization()(layers.DepthwiseConv2D(3, padding="same")(x)))
        x = layers.ReLU()(layers.BatchNormalization()(layers.Conv2D(16, 1)(x)))
    x = layers.Flatten()(layers.AveragePooling2D((25, 5))(x))
    return layers.Dense(12, activation="softmax")(x)


def fading(samples):
    """Sound that becomes quieter by 80 dB, so that its last frames have small sums."""
    return samples * tf.constant(np.geomspace(1, 1e-4, samples.shape[1]), tf.float32)


@architecture("yamnet_front_end", "audio")
def yamnet_front_end():
    """YAMNet's own, without FFT: frames by a matrix of cosines and sines, then log of mel bands."""
    angles = 2 * np.pi * np.outer(np.arange(256), np.arange(129)) / 256
    window = np.hanning(256)[:, None]
    cos, sin = (tf.constant(window * f(angles), tf.float32) for f in (np.cos, np.sin))
    mel = tf.signal.linear_to_mel_weight_matrix(32, 129, 16000, 125.0, 7500.0)

    @tf.function(input_signature=[tf.TensorSpec([1, 4096])])
    def spectrogram(samples):
        halves = tf.reshape(fading(samples), [-1, 128])
        frames = tf.concat([halves[:-1], halves[1:]], 1)
        magnitudes = tf.sqrt(tf.square(frames @ cos) + tf.square(frames @ sin))
        return tf.math.log(magnitudes @ mel + 1e-3)
    return spectrogram


@architecture("pitch_front_end", "audio")
def pitch_front_end():
    """basic-pitch's: a constant-Q transform by octaves, then decibels from 0 to 1."""
    lengths = np.round(128 * 2.0 ** (-np.arange(12) / 12)).astype(int)
    waves = np.zeros((128, 12), complex)
    for at, length in enumerate(lengths):
        start = (128 - length) // 2
        waves[start:start + length, at] = (np.hanning(length) / length * np.exp(
            2j * np.pi * 17 * np.arange(length) / length))
    low_pass = tf.constant(np.hanning(17)[1:-1, None, None] / 8, tf.float32)
    real, imaginary = (tf.constant(f(waves)[:, None], tf.float32) for f in (np.real, np.imag))

    @tf.function(input_signature=[tf.TensorSpec([1, 4096])])
    def pitches(samples):
        x, octaves = fading(samples)[..., None], []
        for hop in (64, 32, 16):
            x = x if hop == 64 else tf.nn.conv1d(x, low_pass, 2, "SAME")
            parts = [tf.nn.conv1d(x, kernel, hop, "SAME") for kernel in (real, imaginary)]
            octaves.insert(0, tf.sqrt(tf.square(parts[0]) + tf.square(parts[1])))
        power = tf.square(tf.concat(octaves, 2) * np.sqrt(128).astype("float32"))
        decibels = 10 * tf.math.log(power + 1e-10) / np.log(10).astype("float32")
        decibels -= tf.reduce_min(decibels, [1, 2], keepdims=True)
        return tf.math.divide_no_nan(decibels, tf.reduce_max(decibels, [1, 2], keepdims=True))
    return pitches


@model("time series", (32, 4), ("float32", "free", "dynamic_int8", "int8"))
def tcn(inputs):
    x = layers.Conv1D(8, 1)(inputs)
    for dilation in (1, 2, 4):
        y = layers.Conv1D(8, 3, padding="causal", dilation_rate=dilation, activation="relu")(x)
        x = layers.Add()([x, y])
    return layers.Dense(2)(x)


# TensorFlow's converter does not lower the lists of a loop of a free batch: the recurrent models
# that are not unrolled have batch 1.


@model("recurrent", (8, 4), batch_size=1)
def simple_rnn(inputs):
    return layers.SimpleRNN(6)(inputs)


@model("text recognition", (64, 16, 1), batch_size=1)
def crnn_ocr(inputs):
    x = layers.MaxPooling2D()(layers.Conv2D(8, 3, padding="same", activation="relu")(inputs))
    x = layers.MaxPooling2D((2, 4))(layers.Conv2D(16, 3, padding="same", activation="relu")(x))
    x = layers.Dense(16, activation="relu")(layers.Reshape((16, 32))(x))
    x = layers.Bidirectional(layers.LSTM(8, return_sequences=True))(x)
    return layers.Dense(20, activation="softmax")(x)


@model("video", (8, 16, 16, 3), ("float32", "batch1", "dynamic_int8"))
def video_conv3d(inputs):
    x = layers.Conv3D(8, 3, 2, "same", activation="relu")(inputs)
    x = layers.Conv3D(8, 3, padding="same", activation="relu")(x)
    x = layers.GlobalAveragePooling3D()(x)
    return layers.Dense(5)(x)


@model("point clouds", (64, 3), ("float32", "free", "int8"))
def pointnet(inputs):
    turn = layers.GlobalMaxPooling1D()(layers.Conv1D(16, 1, activation="relu")(inputs))
    turn = layers.Reshape((3, 3))(layers.Dense(9)(turn))
    x = ops.matmul(inputs, turn)
    x = layers.Conv1D(32, 1, activation="relu")(layers.Conv1D(16, 1, activation="relu")(x))
    return layers.Dense(6)(layers.GlobalMaxPooling1D()(x))
