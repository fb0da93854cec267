"""How long a command takes that runs no model, beside an interpreter that does nothing."""

from __future__ import annotations

import subprocess
import sys

import typer

from benchmarks.sides import Rounds, command, seconds_by_turns

COMMANDS = {"--help": ["--help"], "ls": ["ls"], "leaderboard --help": ["leaderboard", "--help"]}


def measure(rounds: Rounds = 5) -> None:
    """Start Python alone and each command by turns."""

    def started(*arguments: str) -> None:
        subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)

    sides = {name: lambda line=line: started("-m", "bench", *line) for name, line in COMMANDS.items()}
    taken = seconds_by_turns({"python alone": lambda: started("-c", "pass"), **sides}, rounds)
    typer.echo("start-up: " + ", ".join(f"{name} {seconds:.2f} s" for name, seconds in taken.items()))


if __name__ == "__main__":
    command(measure, "startup")
