"""A frame against its declared schema."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StructType


def conform(frame: DataFrame, schema: StructType) -> DataFrame:
    """The declared columns, in their order and with their types.

    Raises ``ValueError`` where one is missing or of another type: a table never changes its shape silently.
    """
    have = {field.name: field.dataType for field in frame.schema}
    wrong = [
        f"{field.name} is {have[field.name].simpleString() if field.name in have else 'missing'}"
        f" and should be {field.dataType.simpleString()}"
        for field in schema
        if field.name not in have or have[field.name].simpleString() != field.dataType.simpleString()
    ]
    if wrong:
        raise ValueError("; ".join(wrong))
    return frame.select(*(F.col(field.name) for field in schema))
