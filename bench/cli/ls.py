"""`bench ls`: what there is to run."""

from typing import Annotated

import typer

from bench.errors import InputError

KINDS = ("defenses", "attacks", "datasets", "models")


def ls(
    kind: Annotated[
        str | None, typer.Argument(help="defenses, attacks, datasets or models; all by default.")
    ] = None,
) -> None:
    """List defenses, attacks, datasets and models."""
    if kind is not None and kind not in KINDS:
        from bench.names import did_you_mean

        raise InputError(f"unknown kind {kind!r}{did_you_mean(kind, KINDS)} (known: {', '.join(KINDS)})")
    for one in KINDS if kind is None else (kind,):
        entries = _entries(one)
        width = max(len(name) for name, _ in entries)
        if kind is None:
            typer.echo(f"{one}:")
        for name, summary in entries:
            typer.echo(f"  {name:<{width}}  {summary}")


def _entries(kind: str) -> list[tuple[str, str]]:
    from bench import registry
    from bench.records.cards import card_names, load_card

    if kind == "defenses":
        return [(name, registry.defenses().summary(name)) for name in registry.defenses().names()]
    if kind == "attacks":
        return [(name, registry.attacks().summary(name)) for name in registry.attacks().names()]
    if kind == "datasets":
        return [(name, load_card(name).title) for name in card_names()]
    return [
        ("tiny", "embedded: Llama architecture, 1 M parameters, pre-trained on software documentation"),
        ("FOLDER", "a local causal language model with its tokenizer, weights in safetensors"),
        ("OWNER/NAME", "a causal language model on the Hugging Face hub"),
    ]
