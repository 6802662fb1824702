"""The zoo's models from transformers, in tiny configurations: text, vision, speech, time series; causal ones also with a static cache.

Each entry of MODELS is name -> function(batch) -> (module, tuple of example inputs).
"""
import torch
from torch import nn

TOKENS, VOCABULARY = 32, 512
SMALL = dict(hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128, vocab_size=VOCABULARY)


class Picked(nn.Module):
    """Calls a model by keyword and returns one field of what it returns."""

    def __init__(self, model, field, *names, **fixed):
        super().__init__()
        self.model, self.field, self.names, self.fixed = model, field, names, fixed

    def forward(self, *inputs):
        return getattr(self.model(**dict(zip(self.names, inputs)), **self.fixed), self.field)


def ids(batch):
    return torch.randint(1, VOCABULARY, (batch, TOKENS))


def mask(batch):
    """Rows of different lengths, as padded text has."""
    lengths = torch.linspace(TOKENS * 0.8, TOKENS * 0.5, batch)
    return (torch.arange(TOKENS)[None, :] < lengths[:, None]).long()


def encoder(model, config, **options):
    def make(batch):
        import transformers
        built = getattr(transformers, model)(getattr(transformers, config)(**{**SMALL, **options}))
        return Picked(built, "last_hidden_state", "input_ids", "attention_mask"), (ids(batch), mask(batch))
    return make


def causal(model, config, **options):
    def make(batch):
        import transformers
        built = getattr(transformers, model)(getattr(transformers, config)(**{**SMALL, **options}))
        return Picked(built, "logits", "input_ids", use_cache=False), (ids(batch),)
    return make


class Decoding(nn.Module):
    """One token at a time over a cache of fixed length, which is the module's state: the caller gives the token and its position."""

    LENGTH = 48

    def __init__(self, model, batch):
        super().__init__()
        from transformers import StaticCache
        self.model = model
        self.cache = StaticCache(config=model.config, max_cache_len=self.LENGTH)
        heads = getattr(model.config, "num_key_value_heads", None) or model.config.num_attention_heads
        width = getattr(model.config, "head_dim", None) or model.config.hidden_size // model.config.num_attention_heads
        self.cache.early_initialization(batch, heads, width, torch.float32, "cpu")
        for index, layer in enumerate(self.cache.layers):
            self.register_buffer(f"keys_{index}", torch.randn_like(layer.keys) * 0.1)
            self.register_buffer(f"values_{index}", torch.randn_like(layer.values) * 0.1)

    def forward(self, token, position):
        for index, layer in enumerate(self.cache.layers):
            layer.keys, layer.values = getattr(self, f"keys_{index}"), getattr(self, f"values_{index}")
            layer.cumulative_length = position.clone()  # what is written where: the layer counts it up in place
        return self.model(input_ids=token, position_ids=position[None], past_key_values=self.cache).logits


def decoding(model, config, **options):
    def make(batch):
        import transformers
        configuration = getattr(transformers, config)(**{**SMALL, **options})
        configuration.max_position_embeddings = 64
        return (Decoding(getattr(transformers, model)(configuration), batch),
                (torch.randint(1, VOCABULARY, (batch, 1)), torch.tensor([7])))
    return make


def t5(batch):
    from transformers import T5Config, T5EncoderModel
    model = T5EncoderModel(T5Config(d_model=64, d_ff=128, d_kv=16, num_layers=2, num_heads=4, vocab_size=VOCABULARY))
    return Picked(model, "last_hidden_state", "input_ids", "attention_mask"), (ids(batch), mask(batch))


def whisper(batch):
    from transformers import WhisperConfig
    from transformers.models.whisper.modeling_whisper import WhisperEncoder
    config = WhisperConfig(d_model=64, encoder_layers=2, encoder_attention_heads=4, encoder_ffn_dim=128, max_source_positions=64, num_mel_bins=80)
    return Picked(WhisperEncoder(config), "last_hidden_state", "input_features"), (torch.randn(batch, 80, 128),)


def clip_text(batch):
    from transformers import CLIPTextConfig, CLIPTextModel
    model = CLIPTextModel(CLIPTextConfig(**SMALL, max_position_embeddings=TOKENS))
    return Picked(model, "last_hidden_state", "input_ids"), (ids(batch),)


PIXELS = dict(hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128)


def pixels(model, config, field="last_hidden_state", size=64, **options):
    def make(batch):
        import transformers
        built = getattr(transformers, model)(getattr(transformers, config)(**options))
        return Picked(built, field, "pixel_values"), (torch.randn(batch, 3, size, size),)
    return make


class MaskedAutoencoder(nn.Module):
    """ViT-MAE with the noise that chooses the visible patches given by the caller: no random numbers inside."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, pixel_values, noise):
        return self.model(pixel_values, noise=noise).logits


def vit_mae(batch):
    from transformers import ViTMAEConfig, ViTMAEForPreTraining
    config = ViTMAEConfig(**PIXELS, image_size=64, patch_size=8, decoder_hidden_size=32, decoder_num_hidden_layers=1,
                          decoder_num_attention_heads=4, decoder_intermediate_size=64)
    return MaskedAutoencoder(ViTMAEForPreTraining(config)), (torch.randn(batch, 3, 64, 64), torch.rand(batch, 64))


def detr(batch):
    from transformers import DetrConfig, DetrForObjectDetection, ResNetConfig
    backbone = ResNetConfig(embedding_size=16, hidden_sizes=[16, 32, 48, 64], depths=[1, 1, 1, 1], out_features=["stage4"])
    config = DetrConfig(use_timm_backbone=False, use_pretrained_backbone=False, backbone=None, backbone_config=backbone, d_model=64,
                        encoder_layers=1, decoder_layers=1, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=128,
                        decoder_ffn_dim=128, num_queries=10)
    return Picked(DetrForObjectDetection(config), "logits", "pixel_values"), (torch.randn(batch, 3, 96, 96),)


SPEECH = dict(hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128, conv_dim=(32, 32, 32), conv_stride=(5, 2, 2),
              conv_kernel=(10, 3, 3), num_conv_pos_embeddings=16, num_conv_pos_embedding_groups=4, mask_time_prob=0.0)


def speech(model, config):
    def make(batch):
        import transformers
        built = getattr(transformers, model)(getattr(transformers, config)(**SPEECH))
        return Picked(built, "last_hidden_state", "input_values"), (torch.randn(batch, 4000),)
    return make


def timesformer(batch):
    from transformers import TimesformerConfig, TimesformerModel
    model = TimesformerModel(TimesformerConfig(**PIXELS, image_size=32, patch_size=8, num_frames=4))
    return Picked(model, "last_hidden_state", "pixel_values"), (torch.randn(batch, 4, 3, 32, 32),)


def patch_tst(batch):
    from transformers import PatchTSTConfig, PatchTSTForPrediction
    config = PatchTSTConfig(num_input_channels=3, context_length=64, patch_length=8, patch_stride=8, d_model=32, num_attention_heads=4,
                            num_hidden_layers=2, ffn_dim=64, prediction_length=16, do_mask_input=False)
    return Picked(PatchTSTForPrediction(config), "prediction_outputs", "past_values"), (torch.randn(batch, 64, 3),)


def mamba(batch):
    from transformers import MambaConfig, MambaForCausalLM
    model = MambaForCausalLM(MambaConfig(hidden_size=32, num_hidden_layers=2, state_size=8, vocab_size=VOCABULARY))
    return Picked(model, "logits", "input_ids", use_cache=False), (torch.randint(1, VOCABULARY, (batch, 8)),)


GROUPED = dict(num_key_value_heads=2)
CAUSAL = {
    "llama": ("LlamaForCausalLM", "LlamaConfig", GROUPED),
    "qwen2": ("Qwen2ForCausalLM", "Qwen2Config", GROUPED),
    "gemma": ("GemmaForCausalLM", "GemmaConfig", dict(num_key_value_heads=1, head_dim=16)),
    "phi": ("PhiForCausalLM", "PhiConfig", {}),
    "mistral": ("MistralForCausalLM", "MistralConfig", GROUPED),
    "gpt_neox": ("GPTNeoXForCausalLM", "GPTNeoXConfig", {}),
    "mixtral": ("MixtralForCausalLM", "MixtralConfig", GROUPED | dict(num_local_experts=4)),
}
MODELS = {
    "t5_encoder": t5,
    "albert": encoder("AlbertModel", "AlbertConfig", embedding_size=32),
    "distilbert": encoder("DistilBertModel", "DistilBertConfig", dim=64, hidden_dim=128, n_layers=2, n_heads=4),
    "electra": encoder("ElectraModel", "ElectraConfig", embedding_size=32),
    "deberta_v2": encoder("DebertaV2Model", "DebertaV2Config", relative_attention=True, pos_att_type=["p2c", "c2p"], position_buckets=16,
                          norm_rel_ebd="layer_norm", share_att_key=True),
    "roformer": encoder("RoFormerModel", "RoFormerConfig", embedding_size=64, rotary_value=False),
    **{name: causal(model, config, **options) for name, (model, config, options) in CAUSAL.items()},
    **{name + "_decode": decoding(model, config, **options) for name, (model, config, options) in CAUSAL.items()},
    "whisper_encoder": whisper,
    "clip_text": clip_text,
    "clip_vision": pixels("CLIPVisionModel", "CLIPVisionConfig", **PIXELS, image_size=64, patch_size=8),
    "vit_mae": vit_mae,
    "segformer": pixels("SegformerForSemanticSegmentation", "SegformerConfig", "logits", hidden_sizes=[16, 32, 48, 64], depths=[1, 1, 1, 1],
                        decoder_hidden_size=32, num_labels=5),
    "detr": detr,
    "wav2vec2": speech("Wav2Vec2Model", "Wav2Vec2Config"),
    "hubert": speech("HubertModel", "HubertConfig"),
    "dpt": pixels("DPTForDepthEstimation", "DPTConfig", "predicted_depth", **PIXELS | dict(num_hidden_layers=4), image_size=64, patch_size=8,
                  backbone_out_indices=[0, 1, 2, 3], neck_hidden_sizes=[16, 16, 32, 32], fusion_hidden_size=16),
    "timesformer": timesformer,
    "patch_tst": patch_tst,
    "mamba": mamba,
}
REAL_WEIGHTS = set()
