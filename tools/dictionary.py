"""The data dictionary, from the schemas of the tables: ``python -m tools.dictionary`` writes it anew."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pyspark.sql.types import ArrayType, DataType, StructField, StructType

from equipoise.pipeline.schemas.tables import COMMENT, TABLES

PAGE = Path(__file__).parents[1] / "docs" / "dictionary.md"
HEAD = """# Dictionary of the tables

Every column of the [tables](tables.md) of a run, made from their schemas by `python -m tools.dictionary`: the
same words are the comments of the columns there (`equipoise.pipeline.schemas.tables`). "may be null" is said
of what is not always known; a name with a dot is a field of the struct before the dot, with `[]` of each of a
list.
"""


def page() -> str:
    """The whole page, the same for the same schemas."""
    parts = [HEAD]
    for name, table in TABLES.items():
        parts.append(f"## {name}\n\nKey: {', '.join(f'`{column}`' for column in table.key)}.\n")
        parts.append("\n".join(["| column | type | is |", "|---|---|---|", *rows(table.schema)]) + "\n")
    return "\n".join(parts)


def rows(schema: StructType, above: str = "") -> Iterator[str]:
    """A line for each column, and for each field of those that are structs."""
    for field in schema.fields:
        name = above + field.name
        null = ", may be null" if field.nullable else ""
        yield f"| `{name}` | {kind(field.dataType)}{null} | {comment(field)} |"
        inner = field.dataType.elementType if isinstance(field.dataType, ArrayType) else field.dataType
        if isinstance(inner, StructType):
            yield from rows(inner, f"{name}[]." if inner is not field.dataType else f"{name}.")


def comment(field: StructField) -> str:
    """What a column is."""
    return str((field.metadata or {}).get(COMMENT, ""))


def kind(of: DataType) -> str:
    """A type in a word or two."""
    if isinstance(of, ArrayType):
        return f"list of {kind(of.elementType)}"
    return "struct" if isinstance(of, StructType) else of.simpleString()


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
