"""`bench status`: which cells are done, and which a run would compute."""

import typer

from bench.cli import options


def status(
    dataset: options.Dataset = None,
    data_dir: options.DataDir = None,
    model: options.Model = None,
    tuning: options.Tuning = None,
    defense: options.Defense = None,
    attack: options.Attack = None,
    plugin: options.Plugin = None,
    seed: options.Seed = None,
    split_seed: options.SplitSeed = None,
    out: options.Out = None,
    limit: options.Limit = None,
    max_length: options.MaxLength = None,
    epochs: options.Epochs = None,
    batch_size: options.BatchSize = None,
    learning_rate: options.LearningRate = None,
    share: options.Share = None,
    config: options.Config = None,
) -> None:
    """Show which cells a run with the same options would find done, and what it would compute."""
    given = options.given(locals())
    from bench.experiment import settings_from
    from bench.plan import make_plan
    from bench.store import Store

    settings = settings_from(given, config)
    plan, store = make_plan(settings), Store(settings.out)
    missing = {cell.name for cell in plan.missing(store)}
    for cell in plan.cells:
        state = "to do" if cell.name in missing else "done "
        what = (
            f"{cell.lab.dataset} · {cell.lab.model} · seed {cell.lab.seed} · {cell.spec} · {cell.attack.spec}"
        )
        typer.echo(f"{state}  {what}")
    to_do = [cell for cell in plan.cells if cell.name in missing]
    typer.echo(
        f"{len(plan.cells) - len(to_do)} of {len(plan.cells)} cells done; a run would do "
        f"{len(plan.trainings(to_do, store))} trainings and {len(plan.scorings(to_do, store))} scorings"
    )
