"""Every rule is one unit: registered under its module's name, whole, and of one mind with the judge."""

from __future__ import annotations

import abc
import ast
import random
import runpy
from collections.abc import Callable, Iterator
from dataclasses import fields
from importlib import import_module
from inspect import getmembers, isabstract, isclass
from pkgutil import iter_modules

import numpy as np
import pytest
from tests.reference import rules as reference
from tests.scenarios.strategies import THEMES, case
from tests.unit.planning.test_conflicts import CONFLICTS
from tests.unit.test_rooms import modules, ours

from equipoise.cli.options import HELP
from equipoise.errors import EquipoiseError, UnusableInput
from equipoise.judge import violations as judged
from equipoise.judge.rules import rules_of
from equipoise.judge.violations import check_assignment
from equipoise.planning import Problem, Request, build_problem, make_plan, rules
from equipoise.planning.request.options import READERS
from equipoise.planning.rules import BUDGETS, EASIEST_FIRST, OPTIONS, REGISTRY, RULES, Rule, broken
from equipoise.planning.rules.answer import Answer
from equipoise.planning.rules.cordon import Cordon
from equipoise.planning.rules.ways import field_of

EACH_RULE = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)


# whole


def test_every_rule_that_is_written_is_registered() -> None:
    """A module of the room whose class is left out of the registry would be a rule that nobody keeps."""
    modules = [import_module(f"{rules.__name__}.{found.name}") for found in iter_modules(rules.__path__)]
    written = {
        kind for module in modules for _, kind in getmembers(module, isclass) if issubclass(kind, Rule)
    }
    assert {kind for kind in written if not isabstract(kind)} == {type(rule) for rule in RULES}


def test_planner_judge_and_reference_know_the_same_rules() -> None:
    """A rule exists three times, written apart; who lacks one is named here."""
    rules = {"the planner": REGISTRY, "the judge": judged.RULES, "the reference": reference.REGISTRY}
    known = {who: set(names) for who, names in rules.items()}
    every = set().union(*known.values())
    assert {who: every - names for who, names in known.items() if every - names} == {}


@EACH_RULE
def test_a_rule_has_the_name_of_its_module_and_option(rule: Rule) -> None:
    assert type(rule).__module__.rsplit(".", 1)[1] == field_of(rule.name)
    assert rule.name in OPTIONS and REGISTRY[rule.name] is rule


@EACH_RULE
def test_each_option_can_be_asked_for_and_says_what_it_asks(rule: Rule) -> None:
    """In a request, in a file or on the command line, with the rule's own sentence as its help."""
    for option in rule.options:
        assert field_of(option.name) in {of.name for of in fields(Request)}
        assert option.name in READERS
        assert HELP[option.name][2] == option.asks and option.asks.endswith(".")


@EACH_RULE
def test_each_rule_has_a_conflict_with_ways_out(rule: Rule) -> None:
    """Its options are in one of the requests of `test_conflicts`, where sentences and ways out are held."""
    if not rule.dispensable:  # what changes less, is up, or binds all together is in no partition's way
        assert rule.name in ("topics", "assume-alive", "max-fill", "rack-capacity")
        return
    assert any(option.name in named for option in rule.options for _, _, _, named in CONFLICTS.values())


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Takes a part away from a rule, until the test is over."""

    def take(part: str) -> None:
        monkeypatch.delattr(Cordon, part)
        abc.update_abstractmethods(Cordon)

    yield take
    monkeypatch.undo()
    abc.update_abstractmethods(Cordon)


@pytest.mark.parametrize("part", ["name", "role", "options", "lay", "broken", "refusal", "ways_out"])
def test_a_rule_that_lacks_a_part_is_an_error_when_it_is_imported(
    part: str, without: Callable[[str], None]
) -> None:
    """Never a rule that is left out; with all its parts the same file runs."""
    registry = str(rules.__file__)
    assert "cordon" in runpy.run_path(registry)["REGISTRY"]
    without(part)
    with pytest.raises(TypeError, match=part):
        runpy.run_path(registry)


def test_two_rules_of_one_name_are_an_error() -> None:
    with pytest.raises(TypeError, match="cordon"):
        rules.registered(Cordon(), Cordon())


def test_what_is_easiest_to_give_up_comes_first() -> None:
    """How it is to be done, what it may cost, what is to be done; an added broker is in nobody's way."""
    assert EASIEST_FIRST == (
        "leaders-only", "stay-in-rack", "rack-rule", "no-leaders-on", "cordon",
        "max-changes-per-partition", "max-bytes", "max-moves",
        "replace", "drain", "brokers", "replication-factor",
    )  # fmt: skip


@pytest.mark.slow
def test_no_method_reads_the_option_of_a_rule() -> None:
    """Options are read by the rules and where requests are understood; a method asks the rule or the
    problem.

    So a rule can be changed, or another be laid that closes the same, and every method keeps it.
    """
    options = {field_of(option) for option in OPTIONS} | {"fills"}
    readers = {
        (name, node.attr)
        for name, tree in modules().items()
        if name.startswith("planning.") and name.split(".")[1] not in ("rules", "request", "problem")
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr in options
        if ast.unparse(node.value).rsplit(".", 1)[-1] == "request"
    }
    assert readers == set()


@pytest.mark.slow
def test_rules_know_the_problem_and_no_method() -> None:
    """Who plans asks the rules: what lays them down knows neither networks nor solvers, nor the goals."""
    for room, others in (("problem", set()), ("rules", {"problem", "registry"})):
        trees = [tree for name, tree in modules().items() if name.startswith(f"planning.{room}.")]
        known = {name.split(".")[1] for tree in trees for name in ours(tree) if name.startswith("planning.")}
        assert known <= {room, *others}, room


# of one mind with the judge

JUDGED = (
    ("topics", "topic-not-chosen"),
    ("replication-factor", "replication-factor"),
    ("assume-alive", "not-alive"),
    ("drain", "not-eligible"),
    ("replace", "replace"),
    ("no-leaders-on", "leaders"),
    ("stay-in-rack", "stay-in-rack"),
    ("leaders-only", "leaders-only"),
    ("max-changes-per-partition", "max-changes-per-partition"),
)
"""Rules that name partitions, with the judge's names for them."""


def problem_of(theme: str, seed: int) -> Problem | None:
    try:
        return build_problem(case(theme, seed).cluster(), case(theme, seed).request)
    except UnusableInput:
        return None


def shaken(problem: Problem, seed: int) -> np.ndarray:
    """Lists of the factor wanted, mostly, with some replicas on other brokers and some leaders changed."""
    rng = random.Random(seed)
    everyone = range(problem.cluster.n_brokers)
    lists = []
    for row, wanted in zip(problem.current.tolist(), problem.rf.tolist(), strict=True):
        held = [b for b in row if b >= 0]
        others = [b for b in everyone if b not in held]
        rng.shuffle(others)
        if rng.random() < 0.9 or not held:
            held = [*held, *others[: max(0, wanted - len(held))]][:wanted]
        if rng.random() < 0.5 and others and others[0] not in held:
            held[rng.randrange(len(held))] = others[0]
        if rng.random() < 0.5:
            rng.shuffle(held)
        lists.append(held)
    width = max(len(held) for held in lists)
    return np.array([held + [-1] * (width - len(held)) for held in lists], dtype=np.int32)


def partitions(answer: Answer, rule: str) -> set[tuple[str, int]]:
    """Topic and number of the partitions that break a rule."""
    return partitions_of(answer.problem, np.flatnonzero(REGISTRY[rule].broken(answer)))


def partitions_of(problem: Problem, rows: np.ndarray) -> set[tuple[str, int]]:
    cluster = problem.cluster
    return {(cluster.topics[cluster.topic_idx[row]], int(cluster.partition[row])) for row in rows}


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.slow
def test_lists_break_a_rule_where_the_judge_says_so(theme: str) -> None:
    """Partition by partition, on lists shaken at random; the judge reads the request by itself."""
    for seed in range(60):
        problem = problem_of(theme, seed)
        if problem is None:
            continue
        answer = Answer(problem, shaken(problem, seed))
        asked = rules_of(problem.cluster, problem.request.to_json())
        said = check_assignment(problem.cluster, answer.lists, asked)
        by_judge = {rule: {(v.topic, v.partition) for v in said if v.rule == rule} for _, rule in JUDGED}
        mine = {rule: partitions(answer, rule) for rule, _ in JUDGED}
        # Of lists of a length that nobody wants, the two think differently of what grows in a rack.
        for found in (by_judge, mine):
            found["stay-in-rack"] -= by_judge["replication-factor"]
        for rule, theirs in JUDGED:
            assert mine[rule] == by_judge[theirs], (rule, seed)
        for budget in (budget for budget in BUDGETS if not budget.of_each):
            assert budget.broken(answer).any() == any(v.rule == budget.name for v in said), (
                budget.name,
                seed,
            )


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.slow
def test_no_plan_breaks_a_rule(theme: str) -> None:
    """All rules at once, on the planner's own answers."""
    for seed in range(6):
        drawn = case(theme, seed)
        try:
            plan = make_plan(drawn.cluster(), drawn.request)
        except EquipoiseError:
            continue
        problem = problem_of(theme, seed)
        assert problem is not None and not broken(Answer(problem, plan.target)).any(), seed
