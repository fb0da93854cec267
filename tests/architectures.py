"""Tiny random models of every architecture that is offered, records to run them on, and a slow loss.

Nothing heavy is imported until a function needs it, so that other tests do not wait for it.
"""

import numpy as np

ARCHITECTURES = ("gpt2", "gpt-neox", "llama", "qwen2")
TIED = ("gpt2", "llama", "qwen2")
VOCABULARY = 400
POSITIONS = 64

TEXT = """The patient was seen on the ward in the morning and told the nurse that the pain had come back.
A second letter was written to the family doctor, who had asked for the results of the blood test.
In this essay I will show how the design of a school day changes what the pupils remember of it.
"""


def config_of(architecture, **changes):
    """Two layers of width 32, with every dropout that the architecture knows switched on."""
    from transformers import GPT2Config, GPTNeoXConfig, LlamaConfig, Qwen2Config

    ids = {"bos_token_id": 0, "eos_token_id": 1, "vocab_size": VOCABULARY, "initializer_range": 0.2}
    if architecture == "gpt2":
        size = {"n_positions": POSITIONS, "n_embd": 32, "n_layer": 2, "n_head": 4}
        dropout = {"resid_pdrop": 0.1, "embd_pdrop": 0.1, "attn_pdrop": 0.1}
        return GPT2Config(**{**ids, **size, **dropout, **changes})
    size = {
        "hidden_size": 32,
        "intermediate_size": 48,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "max_position_embeddings": POSITIONS,
        "attention_dropout": 0.1,
    }
    if architecture == "gpt-neox":
        return GPTNeoXConfig(**{**ids, **size, "hidden_dropout": 0.1, **changes})
    make = {"llama": LlamaConfig, "qwen2": Qwen2Config}[architecture]
    return make(**{**ids, **size, "num_key_value_heads": 2, "tie_word_embeddings": True, **changes})


def save(folder, architecture, *, bos="<s>", eos="</s>", **changes):
    """Save a random model and its tokenizer, as a user would have them in a local folder."""
    import torch
    from transformers import AutoModelForCausalLM

    torch.manual_seed(sum(architecture.encode()))
    model = AutoModelForCausalLM.from_config(config_of(architecture, **changes))
    for name, parameter in model.named_parameters():
        if parameter.ndim == 1:  # biases and norms start at 0 and 1, where many mistakes do not show
            torch.nn.init.normal_(parameter, 1.0 if "norm" in name or "ln_" in name else 0.0, 0.1)
    model.save_pretrained(folder)
    save_tokenizer(folder, bos=bos, eos=eos)
    return folder


def save_tokenizer(folder, *, bos="<s>", eos="</s>"):
    """Train and save a byte-level BPE tokenizer with the special tokens given."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    backend = Tokenizer(models.BPE())
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    special = [token for token in (bos, eos) if token is not None]
    backend.train_from_iterator(
        TEXT.splitlines(),
        trainers.BpeTrainer(
            vocab_size=VOCABULARY,
            min_frequency=1,
            special_tokens=special,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    PreTrainedTokenizerFast(tokenizer_object=backend, bos_token=bos, eos_token=eos).save_pretrained(folder)


def random_records(lengths, seed=0):
    """Records of these many scored tokens, drawn at random after the start token 0."""
    from bench.tokens import Tokens

    rng = np.random.default_rng(seed)
    return [
        Tokens(
            record_id=f"r{number}",
            unit=f"r{number}",
            input_ids=np.concatenate([[0], rng.integers(2, VOCABULARY, length)]).astype(np.int64),
            starts=np.arange(length),
            ends=np.arange(length) + 1,
            personal=np.zeros(length, dtype=np.bool_),
            text="x" * length,
            spans=(),
            lost_spans=0,
        )
        for number, length in enumerate(lengths)
    ]


def slow_record_loss(model, record):
    """A record's loss by its definition, from a model in float64 that sees this record alone."""
    import torch

    ids = torch.from_numpy(record.input_ids)[None]
    logits = model(input_ids=ids, position_ids=torch.arange(ids.shape[1])[None]).logits[0]
    chances = logits.exp() / logits.exp().sum(-1, keepdim=True)
    total = torch.zeros((), dtype=torch.float64)
    for position in range(len(record)):
        total = total - chances[position, ids[0, position + 1]].log()
    return total / len(record)
