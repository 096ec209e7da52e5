"""Backbones of keras-hub, small: a free batch and a free length, as Keras exports them."""

from keras_hub import models

from registry import architecture

SHAPE = {"vocabulary_size": 100, "num_layers": 2, "num_heads": 4, "hidden_dim": 32,
         "intermediate_dim": 64}
LENGTH = {"max_sequence_length": 256}

# Name: the class, and what its shape has more. DeBERTa's ABS and SIGN of int32 are TensorFlow's.
BACKBONES = {
    "gpt2": (models.GPT2Backbone, LENGTH),
    "opt": (models.OPTBackbone, LENGTH),
    "roberta": (models.RobertaBackbone, LENGTH),
    "albert": (models.AlbertBackbone, {**LENGTH, "embedding_dim": 16, "num_segments": 8}),
    "bart": (models.BartBackbone, LENGTH),
    "deberta_v3": (models.DebertaV3Backbone, {**LENGTH, "bucket_size": 16}),
    "distil_bert": (models.DistilBertBackbone, LENGTH),
    "t5": (models.T5Backbone, {}),
    "whisper": (models.WhisperBackbone, {"num_mels": 16, "max_encoder_sequence_length": 256,
                                         "max_decoder_sequence_length": 256}),
}
for name, (backbone, more) in BACKBONES.items():
    architecture("hub_" + name, "free axes")(
        lambda backbone=backbone, more=more: backbone(**SHAPE, **more))
