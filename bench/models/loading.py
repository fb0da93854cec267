"""Load a causal language model and its tokenizer from a folder."""

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from bench.errors import InputError

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedTokenizerFast

WEIGHTS = "*.safetensors"
MODEL_FILES = ("*.json", WEIGHTS, "*.model", "*.txt")


def longest_input(folder: Path) -> int | None:
    """How many tokens the model's positions allow, where its configuration says so."""
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        longest = config.get("max_position_embeddings", config.get("n_positions"))
    except (OSError, ValueError, AttributeError) as error:
        raise InputError(f"the configuration {folder / 'config.json'} cannot be read: {error}") from None
    return longest if isinstance(longest, int) else None


def model_digest(folder: Path) -> str:
    """A hash of everything in a model's folder that can change what it computes."""
    digest = hashlib.sha256()
    for path in sorted(path for pattern in MODEL_FILES for path in folder.glob(pattern)):
        digest.update(path.name.encode())
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()


def load_tokenizer(folder: Path) -> tuple["PreTrainedTokenizerFast", int]:
    """The tokenizer, and the id that starts every record: its start token, else its end-of-text token.

    Raises:
        InputError: there is no fast tokenizer, without which tokens have no offsets, or neither token.
    """
    from transformers import AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(folder)
    except Exception as error:
        raise InputError(f"the tokenizer in {folder} cannot be loaded: {one_line(error)}") from None
    if not tokenizer.is_fast:
        raise InputError(f"the tokenizer in {folder} gives no offsets; a fast one (tokenizer.json) is needed")
    if not tokenizer("text", add_special_tokens=False)["input_ids"]:
        raise InputError(f"the tokenizer in {folder} has no vocabulary; is its tokenizer.json missing?")
    start = tokenizer.bos_token_id if tokenizer.bos_token_id is not None else tokenizer.eos_token_id
    if start is None:
        raise InputError(f"the tokenizer in {folder} has neither a start nor an end-of-text token")
    return cast("PreTrainedTokenizerFast", tokenizer), int(start)


@cache
def attention_of(folder: Path) -> str:
    """How a model's attention is computed: PyTorch's fused one, or, where it has none, as it is written.

    Raises:
        InputError: transformers knows no such model.
    """
    from transformers import AutoConfig, AutoModelForCausalLM

    try:
        config = AutoConfig.from_pretrained(folder)
    except Exception as error:
        raise _not_loaded(folder, error) from None
    known: Any = AutoModelForCausalLM._model_mapping
    fused = type(config) not in known or getattr(known[type(config)], "_supports_sdpa", False)
    return "sdpa" if fused else "eager"


def load_model(folder: Path, device: "torch.device") -> "torch.nn.Module":
    """The model in float32 with every dropout of its own switched off, so that defenses start equal.

    Raises:
        InputError: the folder holds no causal language model that transformers can load.
    """
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()  # type: ignore[no-untyped-call]
    attention = attention_of(folder)
    try:
        config = AutoConfig.from_pretrained(folder)
        _switch_off_dropout(config)
        loaded: Any = AutoModelForCausalLM.from_pretrained(
            folder,
            config=config,
            dtype=torch.float32,
            use_safetensors=True,
            attn_implementation=attention,
            output_loading_info=True,
        )
    except Exception as error:
        raise _not_loaded(folder, error) from None
    model, report = loaded
    if lacking := [*report["missing_keys"], *report["mismatched_keys"]]:
        raise InputError(f"the weights in {folder} lack {len(lacking)} tensors that fit: {lacking[0]}")
    for module in model.modules():
        if isinstance(module, torch.nn.Embedding):
            # Padding is told by length; a token that shares its id, such as the start token, is learned.
            module.padding_idx = None
    return cast(torch.nn.Module, model).eval().to(device)


def _not_loaded(folder: Path, error: Exception) -> InputError:
    return InputError(f"the model in {folder} cannot be loaded: {one_line(error)}")


def _switch_off_dropout(config: Any) -> None:
    for name, value in vars(config).items():
        if ("dropout" in name or name.endswith("_pdrop")) and isinstance(value, float):
            setattr(config, name, 0.0)


def one_line(error: Exception) -> str:
    """What an error of another library says, cut to a line that a message can hold."""
    return " ".join(str(error).split())[:200]
