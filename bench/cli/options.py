"""The options that say what to run, shared by the commands that run or plan."""

import inspect
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

from bench.errors import InputError

Dataset = Annotated[
    list[str] | None,
    typer.Option("--dataset", help="A dataset (see `bench ls datasets`) or the path of a card. Repeatable."),
]
DataDir = Annotated[Path | None, typer.Option("--data-dir", help="The folder with the dataset's files.")]
Model = Annotated[
    list[str] | None,
    typer.Option(
        "--model", help="tiny, smollm2, a folder, a .gguf file, or a Hugging Face hub id. Repeatable."
    ),
]
Tuning = Annotated[str | None, typer.Option("--tuning", help="full (default) or lora.")]
Defense = Annotated[
    list[str] | None,
    typer.Option("--defense", help="A defense, such as trap:strength=2. Repeatable; all by default."),
]
Attack = Annotated[
    list[str] | None,
    typer.Option("--attack", help="An attack, such as extraction. Repeatable; all by default."),
]
Plugin = Annotated[
    list[Path] | None,
    typer.Option("--plugin", help="A Python file with defenses or attacks of your own. Repeatable."),
]
Seed = Annotated[list[int] | None, typer.Option("--seed", help="A seed of training (default 0). Repeatable.")]
SplitSeed = Annotated[int | None, typer.Option("--split-seed", help="Seed of the splits (default 0).")]
Protocol = Annotated[
    str | None,
    typer.Option(
        "--protocol", help="half (default): members are one half. full: both, with cross-fitted references."
    ),
]
Out = Annotated[Path | None, typer.Option("--out", help="The run's folder (default runs).")]
Limit = Annotated[
    int | None, typer.Option("--limit", help="At most so many records, those with spans first.")
]
MaxLength = Annotated[
    int | None, typer.Option("--max-length", help="Tokens of a record that are kept (default 256).")
]
Epochs = Annotated[int | None, typer.Option("--epochs", help="Passes over the records (default 10).")]
BatchSize = Annotated[int | None, typer.Option("--batch-size", help="Records a step (default 8).")]
LearningRate = Annotated[
    float | None, typer.Option("--learning-rate", help="By default what suits the model and tuning.")
]
Share = Annotated[
    list[str] | None,
    typer.Option(
        "--share",
        help="A split's share of the records, such as holdout=0.3; all five must sum to 1. Repeatable.",
    ),
]
Strict = Annotated[
    bool | None,
    typer.Option("--strict", help="Exit with code 1 if text alone tells members from non-members."),
]
Precision = Annotated[
    str | None,
    typer.Option("--precision", help="Of training: auto (default; bfloat16 on CUDA), float32 or bfloat16."),
]
Compile = Annotated[
    bool | None, typer.Option("--compile", help="Let torch.compile translate models before training.")
]
Executor = Annotated[
    str | None, typer.Option("--executor", help="local (default), or ray: spread over many machines.")
]
Address = Annotated[
    str | None, typer.Option("--address", help="Of a running Ray cluster; by default one is started here.")
]
LogTo = Annotated[
    str | None, typer.Option("--log-to", help="tensorboard: follow trainings live, in OUT/logs.")
]
FailFast = Annotated[bool | None, typer.Option("--fail-fast", help="Stop at the first task that fails.")]
ShowText = Annotated[
    bool | None,
    typer.Option("--show-text", help="Let errors of plugins quote records."),
]
Config = Annotated[
    Path | None, typer.Option("--config", help="A YAML file of these settings; options override it.")
]


def _settings(
    dataset: Dataset = None,
    data_dir: DataDir = None,
    model: Model = None,
    tuning: Tuning = None,
    defense: Defense = None,
    attack: Attack = None,
    plugin: Plugin = None,
    seed: Seed = None,
    split_seed: SplitSeed = None,
    protocol: Protocol = None,
    out: Out = None,
    limit: Limit = None,
    max_length: MaxLength = None,
    epochs: Epochs = None,
    batch_size: BatchSize = None,
    learning_rate: LearningRate = None,
    share: Share = None,
    precision: Precision = None,
    compile: Compile = None,
    executor: Executor = None,
    address: Address = None,
    log_to: LogTo = None,
    fail_fast: FailFast = None,
    strict: Strict = None,
    show_text: ShowText = None,
    config: Config = None,
) -> None:
    """The parameters of every command that takes settings."""


def takes_settings(command: Callable[..., None]) -> Callable[..., None]:
    """A command with all these options besides its own.

    It receives what was given of them by name, the config file, and its own options.
    """
    own = list(inspect.signature(command, eval_str=True).parameters.values())[2:]

    @wraps(command)
    def with_options(**options: Any) -> None:
        config = options.pop("config")
        mine = {parameter.name: options.pop(parameter.name) for parameter in own}
        command(_given(options), config, **mine)

    shared = inspect.signature(_settings)
    with_options.__signature__ = shared.replace(  # type: ignore[attr-defined]
        parameters=[*own, *shared.parameters.values()]
    )
    with_options.__annotations__ = _settings.__annotations__ | {
        parameter.name: parameter.annotation for parameter in own
    }
    return with_options


def _given(options: dict[str, Any]) -> dict[str, Any]:
    """The options that a user gave, by the names that settings have."""
    named = {name: value for name, value in options.items() if value is not None and value != []}
    if shares := named.pop("share", None):
        parts = [share.partition("=") for share in shares]
        if any(not equals for _, equals, _ in parts):
            raise InputError(f"--share takes split=share, such as holdout=0.3, not {', '.join(shares)!r}")
        named["shares"] = {name: value for name, _, value in parts}
    return named
