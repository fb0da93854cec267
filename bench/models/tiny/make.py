"""Makes the embedded base model: `python -m bench.models.tiny.make [OUT_DIR]`, ten minutes on two cores.

The text is prose from the documentation of Python and of the packages around this one; `corpus` says which.
"""

import argparse
import math
import random
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from bench.models.tiny.corpus import corpus

SEED = 0
END = "<|endoftext|>"
"""Starts, ends and pads. Its id is 0, and text that spells it is text."""
VOCABULARY = 2048
CONTEXT = 2048
BATCH_TOKENS = 4096
BLOCKS = (256, 256, 256, 1024)
"""Block lengths, in turn: mostly short; a long one now and then, so that long records are no surprise."""
HELD_OUT = 0.03


def make(folder: Path, steps: int) -> None:
    """Write the model and its tokenizer to `folder`, and print the loss on held-out files."""
    random.seed(SEED)
    torch.manual_seed(SEED)
    files = list(corpus())
    random.shuffle(files)
    border = int(len(files) * HELD_OUT)
    held_out, training = ([doc for file in part for doc in file] for part in (files[:border], files[border:]))
    print(f"{sum(map(len, training)):,} characters to train on, {sum(map(len, held_out)):,} held out")

    tokenizer = train_tokenizer(training)
    model = LlamaForCausalLM(architecture())
    print(f"{model.num_parameters():,} parameters")
    train(model, stream(tokenizer, training), steps)
    save(model, tokenizer, folder)

    saved = LlamaForCausalLM.from_pretrained(folder, dtype=torch.float32)
    nats, tokens, size = evaluate(saved, tokenizer, held_out)
    print(f"held out: {tokens:,} tokens, {size:,} bytes, loss {nats / tokens:.4f} nats a token,")
    print(f"perplexity {math.exp(nats / tokens):.2f}, {nats / math.log(2) / size:.3f} bits per byte")


def train_tokenizer(documents: list[str]) -> PreTrainedTokenizerFast:
    """A byte-level BPE: every UTF-8 text round-trips, a digit is a token of its own, offsets leave no gap."""
    core = Tokenizer(models.BPE())
    core.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    core.post_processor = processors.ByteLevel(trim_offsets=False)
    core.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=[END],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    core.train_from_iterator(documents, trainer)
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=core,
        bos_token=END,
        eos_token=END,
        pad_token=END,
        model_max_length=CONTEXT,
        clean_up_tokenization_spaces=False,
        split_special_tokens=True,
    )


def architecture() -> LlamaConfig:
    """One million parameters."""
    return LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=128,
        intermediate_size=344,
        num_hidden_layers=4,
        num_attention_heads=4,
        max_position_embeddings=CONTEXT,
        tie_word_embeddings=True,
        initializer_range=0.05,
        bos_token_id=0,
        eos_token_id=0,
        pad_token_id=0,
    )


def stream(tokenizer: PreTrainedTokenizerFast, documents: list[str]) -> torch.Tensor:
    """All documents as one row of ids, each with the end-of-text token in front. Shape (T,), int64."""
    encoded: list[list[int]] = tokenizer(documents, add_special_tokens=False)["input_ids"]
    return torch.tensor([token for ids in encoded for token in [0, *ids]])


def train(
    model: LlamaForCausalLM, ids: torch.Tensor, steps: int, peak: float = 4e-3, warmup: int = 100
) -> None:
    """Next-token training on blocks that begin where a document does: AdamW, warm-up, cosine to a tenth."""
    starts = (ids == 0).nonzero()[:, 0]
    starts = starts[starts < len(ids) - max(BLOCKS)]
    matrices = [p for p in model.parameters() if p.ndim > 1]
    vectors = [p for p in model.parameters() if p.ndim == 1]
    groups = [{"params": matrices, "weight_decay": 0.1}, {"params": vectors, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=peak, betas=(0.9, 0.98))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer,
        lambda step: min((step + 1) / warmup, 0.55 + 0.45 * math.cos(math.pi * step / steps)),
    )
    model.train()
    for step in range(steps):
        length = BLOCKS[step % len(BLOCKS)]
        rows = starts[torch.randint(len(starts), (BATCH_TOKENS // length,))]
        batch = ids[rows[:, None] + torch.arange(length)]
        with torch.autocast("cpu", torch.bfloat16):
            loss = model(input_ids=batch, labels=batch).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
        if step % 200 == 0 or step == steps - 1:
            print(f"step {step} of {steps}: loss {loss.item():.3f}", flush=True)


def evaluate(
    model: LlamaForCausalLM, tokenizer: PreTrainedTokenizerFast, documents: list[str]
) -> tuple[float, int, int]:
    """The summed loss in nats, the tokens and the bytes of `documents`, each read alone."""
    model.train(False)
    nats, tokens = 0.0, 0
    for document in documents:
        ids = stream(tokenizer, [document])[None]
        with torch.no_grad():
            nats += model(input_ids=ids, labels=ids).loss.item() * (ids.shape[1] - 1)
        tokens += ids.shape[1] - 1
    return nats, tokens, sum(len(document.encode()) for document in documents)


def save(model: LlamaForCausalLM, tokenizer: PreTrainedTokenizerFast, folder: Path) -> None:
    """Store the weights in half precision, and a configuration that loads them in single."""
    model.half().save_pretrained(folder)  # type: ignore[no-untyped-call]
    model.config.dtype = torch.float32
    model.config.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", nargs="?", type=Path, default=Path(__file__).parent, metavar="OUT_DIR")
    parser.add_argument("--steps", type=int, default=600)
    options = parser.parse_args()
    make(options.folder, options.steps)
