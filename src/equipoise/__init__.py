"""Equipoise: plans, proves and carries out Kafka partition reassignments.

The names below are the library, told with examples in docs/library.md. Each is imported when it
is first used, so that ``import equipoise`` costs nothing to those who want one of them.
"""

__version__ = "0.1.0"

TYPE_CHECKING = False  # typing's own would have to be imported
if TYPE_CHECKING:
    from equipoise.cluster import Cluster, Level, Plan
    from equipoise.comparing.frontier import Frontier
    from equipoise.comparing.measured import Row
    from equipoise.errors import EquipoiseError, ImpossibleRequest, UnusableInput
    from equipoise.judge import Verdict
    from equipoise.library.checking import check
    from equipoise.library.verbs import (
        Change,
        changes,
        compare,
        frontier,
        load,
        plan,
        read,
        reassignment,
        save,
    )
    from equipoise.planning.problem.request import Request

HOMES = {
    "equipoise.library.verbs": "read plan changes reassignment save load compare frontier Change",
    "equipoise.library.checking": "check",
    "equipoise.cluster": "Cluster Plan Level",
    "equipoise.planning.problem.request": "Request",
    "equipoise.judge": "Verdict",
    "equipoise.comparing.measured": "Row",
    "equipoise.comparing.frontier": "Frontier",
    "equipoise.errors": "EquipoiseError UnusableInput ImpossibleRequest",
}
"""The modules of the names."""

__all__ = [
    "Change", "Cluster", "EquipoiseError", "Frontier", "ImpossibleRequest", "Level", "Plan", "Request", "Row",
    "UnusableInput", "Verdict", "changes", "check", "compare", "frontier", "load", "plan", "read",
    "reassignment", "save",
]  # fmt: skip

if not TYPE_CHECKING:  # type checkers would take any name for one of ours

    def __getattr__(name):
        """The name from its module; see PEP 562."""
        from importlib import import_module

        home = next((home for home, names in HOMES.items() if name in names.split()), None)
        if home is None:
            raise AttributeError(f"module 'equipoise' has no attribute {name!r}")
        found = globals()[name] = getattr(import_module(home), name)
        return found

    def __dir__():
        return [*__all__, "__version__"]
