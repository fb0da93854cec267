"""What to run: the settings that a user gives, checked as one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
)

from bench.attack import Attack
from bench.defense import Defense
from bench.errors import InputError
from bench.models.tuning import Tuning
from bench.names import did_you_mean
from bench.precision import Precision
from bench.records.splits import Shares
from bench.registry import attacks, defenses, load_plugin_file
from bench.results import Protocol
from bench.validation import first_fault


def _several(value: Any) -> Any:
    return (value,) if isinstance(value, str | int | Path) else value


Executor = Literal["local", "ray"]

Names = Annotated[tuple[str, ...], BeforeValidator(_several), Field(min_length=1)]


class Settings(BaseModel):
    """Everything that a run can be told, by the names that the command line and a config file use.

    Where a name takes several values, one alone may be given without a list. An empty `defense` or
    `attack` means all that are registered.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    dataset: Names = ("synthetic-essays", "synthetic-clinical")
    data_dir: Path | None = None
    model: Names = ("tiny",)
    tuning: Tuning = "full"
    defense: Annotated[tuple[str, ...], BeforeValidator(_several)] = ()
    attack: Annotated[tuple[str, ...], BeforeValidator(_several)] = ()
    plugin: Annotated[tuple[Path, ...], BeforeValidator(_several)] = ()
    seed: Annotated[
        tuple[Annotated[int, Field(ge=0)], ...], BeforeValidator(_several), Field(min_length=1)
    ] = (0,)
    protocol: Protocol = Field("half", description="who is trained on: the target half, or both halves")
    out: Path = Path("runs")
    limit: int | None = Field(None, ge=1, description="use at most so many records, those with spans first")
    max_length: int = Field(256, ge=8, description="tokens of a record that are kept")
    epochs: int = Field(10, ge=1)
    batch_size: int = Field(8, ge=1)
    learning_rate: float | None = Field(None, gt=0, description="by default what suits the model and tuning")
    shares: Shares = Shares()
    precision: Precision = Field(
        "auto", description="of training; auto is bfloat16 on accelerators that have it"
    )
    compile: bool = Field(False, description="let torch.compile translate the model before training")
    executor: Executor = Field("local", description="this device, or a Ray cluster")
    address: str | None = Field(
        None, description="of a running Ray cluster; without one, one is started here"
    )
    log_to: Literal["tensorboard"] | None = Field(None, description="where trainings can be followed live")
    fail_fast: bool = Field(False, description="stop at the first task that fails")
    strict: bool = Field(False, description="fail where text alone tells members from non-members")
    show_text: bool = Field(False, description="let errors of plugins quote records")
    split_seed: int = Field(0, ge=0, description="of the splits and of generated or drawn records")

    @field_validator("address")
    @classmethod
    def _has_a_cluster(cls, address: str | None, given: ValidationInfo) -> str | None:
        if address is not None and given.data.get("executor") != "ray":
            raise ValueError("it is of a Ray cluster; give executor=ray as well")
        return address

    @field_validator("log_to")
    @classmethod
    def _is_here(cls, log_to: str | None, given: ValidationInfo) -> str | None:
        if log_to is not None and given.data.get("executor") == "ray":
            raise ValueError("trainings on a Ray cluster cannot be followed")
        return log_to

    @field_validator("out")
    @classmethod
    def _can_be_a_folder(cls, out: Path) -> Path:
        for path in (out, *out.parents):
            if path.exists() and not path.is_dir():
                raise ValueError(f"{path} is a file; give a folder, or a name that is free")
        return out

    def kept(self) -> dict[str, Any]:
        """These settings but for where they are run, as JSON values that mean the same from any folder."""
        whole = self.model_copy(
            update={
                "data_dir": None if self.data_dir is None else self.data_dir.resolve(),
                "plugin": tuple(path.resolve() for path in self.plugin),
                "out": self.out.resolve(),
            }
        )
        return whole.model_dump(mode="json", exclude_none=True, exclude={"executor", "address", "log_to"})

    def learning_rate_for(self, model: str) -> float:
        """The rate given, else one that suits: small embedded models take more than pre-trained ones."""
        if self.learning_rate is not None:
            return self.learning_rate
        by_tuning = {"full": 3e-3, "lora": 1e-2} if model == "tiny" else {"full": 5e-5, "lora": 5e-4}
        return by_tuning[self.tuning]


def settings_from(given: dict[str, Any], config: Path | None = None) -> Settings:
    """Settings from a YAML file, if any, overridden by what is given directly.

    Raises:
        InputError: the file cannot be read, a name is unknown, or a value is not allowed.
    """
    stated = _read_config(config) if config is not None else {}
    stated.update(given)
    for name in stated:
        if name not in Settings.model_fields:
            hint = did_you_mean(name, Settings.model_fields)
            raise InputError(f"unknown setting {name!r}{hint} (known: {', '.join(Settings.model_fields)})")
    try:
        return Settings.model_validate(stated)
    except ValidationError as error:
        fault = first_fault(error)
        value = str(fault.given) if isinstance(fault.given, Path) else repr(fault.given)
        raise InputError(f"{fault.field}={value:.80} is not allowed: {fault.message}") from None


def _read_config(path: Path) -> dict[str, Any]:
    try:
        stated = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise InputError(f"--config {path} cannot be read: {' '.join(str(error).split())}") from None
    if not isinstance(stated, dict):
        raise InputError(f"--config {path} must map setting names to values")
    return {str(name).replace("-", "_"): value for name, value in stated.items()}


def chosen_plugins(settings: Settings) -> tuple[list[Defense], list[Attack]]:
    """The defenses and attacks that the settings ask for, each once, all of them where none is named."""
    for path in settings.plugin:
        load_plugin_file(path)
    chosen_defenses = [defenses().parse(spec) for spec in settings.defense or defenses().names()]
    chosen_attacks = [attacks().parse(spec) for spec in settings.attack or attacks().names()]
    return list(dict.fromkeys(chosen_defenses)), list(dict.fromkeys(chosen_attacks))
