"""DuckDB on the samples of `bench.samples`, to be measured beside Spark: ``python -m bench.duck FLEET OUT``.

It reads the same files and makes the same figures of each series; the join with the partitions, the checks of
each sample and what is set aside are Spark's alone.
"""

from __future__ import annotations

import sys

import duckdb

FIGURES = """
copy (
    with told as (
        select regexp_extract(filename, 'cluster-[0-9]+') as cluster, *
        from read_parquet('{fleet}/*/metrics/*.parquet', filename = true)
    ),
    rated as (
        select *, "time" - lag("time") over series as seconds, lag(value) over series as before
        from told where metric = 'bytes_in_total'
        window series as (partition by cluster, topic, "partition", broker order by "time")
    ),
    rates as (
        select *, (case when value < before then value else value - before end) / seconds as rate
        from rated where before is not null
    )
    select cluster, topic, "partition", broker, metric, sum(rate * seconds) / sum(seconds) as mean,
        quantile_disc(rate, 0.95) as p95, max(rate) as peak, null as growth_per_day, count(*) as samples
    from rates group by all
    union all
    select cluster, topic, "partition", broker, metric, avg(value), quantile_disc(value, 0.95), max(value),
        86400 * regr_slope(value, "time"), count(*)
    from told where metric = 'size_bytes' group by all
) to '{out}' (format parquet)
"""


def figures(fleet: str, out: str) -> None:
    """The figures of every series, as Parquet."""
    duckdb.sql(FIGURES.format(fleet=fleet, out=out))


if __name__ == "__main__":
    figures(*sys.argv[1:3])
