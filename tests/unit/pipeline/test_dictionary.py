"""The data dictionary is that of the schemas, and no column is without words."""

from __future__ import annotations

from collections.abc import Iterator

from pyspark.sql.types import ArrayType, DataType, StructType
from tools.dictionary import PAGE, comment, page

from equipoise.pipeline.schemas.tables import TABLES


def without_words(of: DataType, above: str) -> Iterator[str]:
    """Columns that nobody has said anything of, those of structs too."""
    inner = of.elementType if isinstance(of, ArrayType) else of
    for field in inner.fields if isinstance(inner, StructType) else ():
        name = f"{above}.{field.name}"
        if not comment(field):
            yield name
        yield from without_words(field.dataType, name)


def test_the_page_is_that_of_the_schemas() -> None:
    """Else ``python -m tools.dictionary`` writes it anew."""
    assert PAGE.read_text(encoding="utf-8") == page()


def test_every_column_is_explained() -> None:
    assert [name for key, table in TABLES.items() for name in without_words(table.schema, key)] == []
