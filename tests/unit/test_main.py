"""The command as a whole: how it ends where no verb has a say."""

from __future__ import annotations

import pytest

from equipoise.cli.main import main
from equipoise.files import sources


@pytest.mark.parametrize("verb", ["plan", "compare", "frontier"])
def test_ctrl_c_is_one_line_and_exit_130(
    verb: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Wherever it comes outside a run: no traceback, no silence."""

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(sources, "read_sources", interrupted)
    with pytest.raises(SystemExit) as end:
        main([verb, "anything"])
    assert end.value.code == 130
    assert capsys.readouterr() == ("", "equipoise: stopped; no plan was written\n")
