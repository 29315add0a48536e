"""The words of a certificate: each is its own name in the files and has a sentence."""

from __future__ import annotations

import json

import pytest

from equipoise.cluster.proofs import NetworkName, ProofKind, StrategyName, Told


@pytest.mark.parametrize("word", [*ProofKind, *NetworkName])
def test_each_word_is_told_in_a_sentence(word: Told) -> None:
    """It begins with a capital letter, ends with a full stop, and no two words have the same."""
    assert word.sentence[0].isupper() and word.sentence.endswith(".")
    assert [other for other in type(word) if other.sentence == word.sentence] == [word]


@pytest.mark.parametrize("words", [ProofKind, NetworkName, StrategyName])
def test_a_word_is_its_name_in_the_files(words: type[Told]) -> None:
    """Written as JSON and read again it is the same word; another text is none."""
    for word in words:
        assert words(json.loads(json.dumps(word))) is word
        assert str(word) == word.value == json.loads(json.dumps(word))
    with pytest.raises(ValueError, match="'guessed' is not a valid"):
        words("guessed")


def test_which_bounds_hold_for_all_plans() -> None:
    """All but those of one placement, and those that are no proof."""
    others = {kind for kind in ProofKind if not kind.of_all_plans}
    assert others == {ProofKind.GIVEN_PLACEMENT, ProofKind.NONE, ProofKind.UNKNOWN}
