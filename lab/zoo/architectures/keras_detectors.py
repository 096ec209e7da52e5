"""From images to boxes."""

import tensorflow as tf
from keras import layers, ops

from architectures.parts import conv, model
from registry import architecture


@model("detection", (64, 64, 3), ("float32", "int8"))
def retinanet(inputs):
    """A pyramid whose levels are resized to one another's size."""
    c3 = conv(conv(conv(inputs, 8, 3, 2), 16, 3, 2), 16, 3, 2)
    c4 = conv(c3, 24, 3, 2)
    p4 = layers.Conv2D(16, 1)(c4)
    p3 = layers.Add()([layers.Conv2D(16, 1)(c3), layers.UpSampling2D()(p4)])
    tower, out = layers.Conv2D(16, 3, padding="same", activation="relu"), layers.Conv2D(
        3 * 7, 3, padding="same")
    levels = [layers.Reshape((-1, 7))(out(tower(p))) for p in (p3, p4)]
    return layers.Concatenate(axis=1)(levels)


@model("detection", (64, 64, 3), ("float32", "float16", "int8"))
def yolo(inputs):
    """Boxes decoded against a grid, as YOLO's exports do."""
    x = conv(conv(conv(inputs, 8, 3, 2, "silu"), 16, 3, 2, "silu"), 24, 3, 2, "silu")
    pools = [x]
    for _ in range(3):
        pools.append(layers.MaxPooling2D(5, 1, "same")(pools[-1]))
    x = conv(layers.Concatenate()(pools), 24, 1, activation="silu")
    x = layers.Reshape((64, 3, 9))(layers.Conv2D(27, 1)(x))
    grid = ops.stack(ops.meshgrid(ops.arange(8.0), ops.arange(8.0)), axis=-1)
    grid = ops.reshape(grid, (1, 64, 1, 2))
    centre = (ops.sigmoid(x[..., :2]) * 2 - 0.5 + grid) * 8
    size = ops.square(ops.sigmoid(x[..., 2:4]) * 2) * 12
    return layers.Reshape((192, 9))(
        ops.concatenate([centre, size, ops.sigmoid(x[..., 4:])], axis=-1))


@model("detection", (32, 32, 3), batch_size=1)
def centernet(inputs):
    x = conv(conv(inputs, 8, 3, 2), 16, 3, 2)
    heat = layers.Conv2D(3, 1, activation="sigmoid")(x)
    peak = ops.equal(heat, layers.MaxPooling2D(3, 1, "same")(heat))
    heat = ops.where(peak, heat, ops.zeros_like(heat))
    scores, at = ops.top_k(ops.reshape(heat, (1, 192)), 5)
    sizes = ops.reshape(layers.Conv2D(2, 1)(x), (64, 2))
    return [scores, ops.take(sizes, at // 3, axis=0)]


@architecture("detector_with_suppression", "detection")
def detector_with_suppression():
    weights = tf.random.stateless_normal([3, 3, 3, 8], (1, 2))

    @tf.function(input_signature=[tf.TensorSpec([1, 32, 32, 3])])
    def detect(image):
        x = tf.nn.relu(tf.nn.conv2d(image, weights, 4, "SAME"))
        flat = tf.reshape(x, [64, 8])
        boxes = tf.concat([flat[:, :2], flat[:, :2] + flat[:, 2:4]], 1)
        scores = tf.sigmoid(flat[:, 4])
        kept, valid = tf.image.non_max_suppression_padded(
            boxes, scores, 10, pad_to_max_output_size=True)
        return tf.gather(boxes, kept), valid
    return detect
