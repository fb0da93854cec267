import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.attacks.extraction import Extraction
from bench.attacks.tra import TRA
from bench.defenses.trap import Trap
from bench.errors import InputError
from bench.experiment import Settings, chosen_plugins
from bench.registry import Registry, attacks, defenses, load_plugin_file

DEFENSE = '''
from pydantic import Field
from bench import Defense
class Mine(Defense):
    """One line about it.
    More about it."""
    name = "mine"
    rate: float = Field(0.5, gt=0, lt=1)
'''
ATTACK = """
from bench import MembershipAttack
from bench.attacks.loss import Loss
class Yours(MembershipAttack):
    name = "yours"
    @property
    def knowledge(self):
        return "target"
    def scores(self, passages):
        return [0.0 for _ in passages]
"""


@pytest.fixture
def plugin_file(tmp_path):
    """Writes a plugin file; whatever it registers is forgotten afterwards."""

    def write(source, path="mine.py"):
        file = tmp_path / path
        file.parent.mkdir(exist_ok=True)
        file.write_text(source, encoding="utf-8")
        return file

    yield write
    defenses().forget()
    attacks().forget()


def test_a_spec_sets_the_parameters_it_names_and_leaves_the_others():
    assert defenses().parse("trap") == Trap()
    assert defenses().parse("trap:strength=0.5, cross_fit=true") == Trap(strength=0.5, cross_fit=True)
    assert attacks().parse("extraction:decoding=sample,tries=100") == Extraction(decoding="sample", tries=100)
    assert attacks().parse("tra:against=population") == TRA(against="population")


@pytest.mark.parametrize(
    ("kind", "spec", "named"),
    [
        (defenses, "trp", "'trp' | did you mean 'trap' | dp-sgd | none"),
        (defenses, "", "unknown defense '' | trap"),
        (attacks, "zlip", "unknown attack 'zlip' | did you mean 'zlib' | extraction"),
        (defenses, "trap:strenght=2", "trap | 'strenght' | did you mean 'strength' | margin | patience"),
        (defenses, "none:rate=1", "none | 'rate' | epochs"),
        (attacks, "loss:rate=1", "loss | 'rate' | no parameters"),
        (defenses, "trap:strength=-1", "trap | strength=-1 | greater than or equal to 0"),
        (defenses, "trap:strength=lots", "trap | strength=lots | number"),
        (defenses, "trap:strength=nan", "trap | strength | finite"),
        (defenses, "trap:cross_fit=perhaps", "trap | cross_fit=perhaps | boolean"),
        (defenses, "dropout:rate=1", "dropout | rate=1 | less than 1"),
        (defenses, "dp-sgd:delta=tiny", "dp-sgd | delta=tiny | number | auto"),
        (defenses, "dp-sgd:delta=-1", "dp-sgd | delta=-1 | 0"),
        (attacks, "extraction:decoding=gredy", "extraction | decoding=gredy | 'greedy' | 'sample'"),
        (attacks, "extraction:temperature=0", "extraction | temperature=0 | greater than or equal to"),
        (attacks, "tra:against=target", "tra | against=target | 'complement' | 'population'"),
        (defenses, "trap:strength", "trap:strength | parameter=value"),
        (defenses, "trap:strength=1,strength=2", "'strength' | twice"),
    ],
)
def test_a_spec_that_cannot_be_met_is_told_with_what_is_allowed(kind, spec, named):
    with pytest.raises(InputError) as told:
        kind().parse(spec)
    assert [part for part in named.split(" | ") if part not in str(told.value)] == []
    assert "\n" not in str(told.value)


@settings(deadline=None)
@given(
    strength=st.floats(0, allow_infinity=False),
    margin=st.floats(0, 100),
    power=st.floats(1, 10),
    patience=st.integers(0, 10**6),
    cross_fit=st.booleans(),
)
def test_every_spec_is_read_back_as_the_plugin_that_wrote_it(**parameters):
    plugin = Trap(**parameters)
    assert defenses().parse(plugin.spec) == plugin


def test_a_file_registers_defenses_and_attacks_behind_the_built_in_ones(plugin_file):
    built_in = defenses().names(), attacks().names()
    load_plugin_file(plugin_file(DEFENSE + ATTACK))
    assert (defenses().names(), attacks().names()) == ([*built_in[0], "mine"], [*built_in[1], "yours"])
    assert defenses().parse("mine:rate=0.25").parameters == {"rate": 0.25}
    assert attacks().parse("yours").spec == "yours"
    assert defenses().summary("mine") == "One line about it."


def test_a_name_that_is_taken_is_refused(plugin_file):
    load_plugin_file(plugin_file(DEFENSE))
    for name in ("mine", "trap"):
        with pytest.raises(InputError, match=f"'{name}' exists already"):
            load_plugin_file(plugin_file(DEFENSE.replace('"mine"', f'"{name}"'), "other.py"))
    assert defenses().get("trap") is Trap


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("raise OSError('no such disk')", "fails to load: OSError: no such disk"),
        ("def (:", "fails to load: SyntaxError"),
        ("from bench.defenses.trap import Trap", "defines no subclass"),
        (DEFENSE.replace('name = "mine"', ""), "defines no subclass"),
    ],
)
def test_a_file_that_brings_no_plugin_is_refused(plugin_file, source, told):
    file = plugin_file(source)
    with pytest.raises(InputError, match=told) as error:
        load_plugin_file(file)
    assert str(file) in str(error.value)


def test_a_missing_file_is_told(tmp_path):
    with pytest.raises(InputError, match=r"gone\.py: there is no such file"):
        load_plugin_file(tmp_path / "gone.py")


def test_an_attack_without_its_scores_is_refused_in_one_line(plugin_file):
    unfinished = ATTACK.partition("    def scores")[0]
    with pytest.raises(InputError, match="scores"):
        chosen_plugins(Settings(plugin=plugin_file(unfinished), attack="yours"))


def test_the_same_plugin_file_can_be_run_twice_in_one_process(plugin_file):
    settings = Settings(plugin=plugin_file(DEFENSE), defense="mine")
    first, second = chosen_plugins(settings)[0], chosen_plugins(settings)[0]
    assert [each.spec for each in first] == [each.spec for each in second] == ["mine"]


def test_a_plugin_is_known_by_its_own_file_even_where_two_share_a_name(plugin_file):
    load_plugin_file(plugin_file(DEFENSE, "a/plugin.py"))
    alone = defenses().get("mine").source_digest()
    load_plugin_file(plugin_file(ATTACK, "b/plugin.py"))
    assert defenses().get("mine").source_digest() == alone


def test_a_plugin_of_the_wrong_kind_is_refused():
    with pytest.raises(InputError, match="not a subclass of"):
        attacks().register(Trap)
    with pytest.raises(InputError, match="'trap' is not a subclass of"):
        Registry("bench.attack:Attack", "bench.defenses").get("trap")


def in_a_new_process(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("command", ["--help", "ls", "run --help"])
def test_the_command_line_answers_without_anything_that_computes(command):
    code = f"""
import sys
sys.argv = ["bench", *{command.split()}]
from bench.cli import main
try:
    main()
except SystemExit as end:
    assert not end.code
print("\\n" + " ".join(sorted(sys.modules)))
"""
    answer, loaded = in_a_new_process(code).rstrip().rsplit("\n", 1)
    assert ("trap" if command == "ls" else "Usage") in answer
    heavy = {"torch", "transformers", "opacus", "peft", "numpy", "scipy", "sklearn", "pandas"}
    assert heavy.isdisjoint(loaded.split())


def test_summaries_are_read_without_importing_and_parameters_checked_without_torch():
    code = """
import sys
from bench.registry import attacks, defenses
told = [(kind().names(), [kind().summary(name) for name in kind().names()]) for kind in (defenses, attacks)]
assert not [name for name in sys.modules if name.startswith(("bench.attacks.", "bench.defenses."))]
for kind, (names, summaries) in zip((defenses, attacks), told):
    assert summaries == [kind().parse(name).__doc__.split(chr(10))[0] for name in names], summaries
    assert all(summaries)
print("torch" in sys.modules)
"""
    assert in_a_new_process(code).strip() == "False"


def test_a_plugins_digest_is_of_what_its_files_say_and_not_of_where_they_lie(tmp_path):
    source = 'from bench import Defense\n\n\nclass Mine(Defense):\n    """Mine."""\n\n    name = "digested"\n'
    digests = []
    for folder, text in (("a", source), ("z", source), ("b", source + "    # changed\n")):
        (tmp_path / folder).mkdir()
        path = tmp_path / folder / "mine.py"
        path.write_text(text, encoding="utf-8")
        load_plugin_file(path)
        digests.append(defenses().parse("digested").source_digest())
        defenses().forget()
    assert digests[0] == digests[1] != digests[2]
