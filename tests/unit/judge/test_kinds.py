"""The words of a certificate: each name has its sentence, and a strategy the name that the planner knows."""

from __future__ import annotations

import pytest

from equipoise.cluster.proofs import NetworkName, ProofKind, StrategyName, Told
from equipoise.planning.published.interface import STRATEGIES


@pytest.mark.parametrize("words", [ProofKind, NetworkName])
def test_every_name_has_a_sentence_of_its_own(words: type[Told]) -> None:
    """One sentence each, that no other has; a member is its own name in the files."""
    sentences = [member.sentence for member in words]
    assert len(set(sentences)) == len(sentences)
    assert all(sentence.endswith(".") and sentence[0].isupper() for sentence in sentences)
    assert all(member == member.value == str(member) == words(member.value) for member in words)


def test_a_name_without_a_sentence_is_none() -> None:
    """It is refused when the module is imported, not when somebody asks for the sentence."""
    with pytest.raises((TypeError, RuntimeError)):  # Python 3.11 wraps what a member raises

        class Short(Told):
            BARE = "bare"


def test_what_holds_of_one_placement_is_no_proof_of_all() -> None:
    partial = {ProofKind.GIVEN_PLACEMENT, ProofKind.NONE, ProofKind.UNKNOWN}
    assert {kind for kind in ProofKind if not kind.of_all_plans} == partial


def test_strategies_are_the_planners() -> None:
    assert {name.value for name in StrategyName} == {"flow", "follow", *STRATEGIES}
