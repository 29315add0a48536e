"""What it is worth to bring a broker nearer to its bands: prices that rise until every band is kept.

The method of multipliers (M. J. D. Powell, "A method for nonlinear constraints in minimization problems",
1969; M. R. Hestenes, "Multiplier and gradient methods", 1969): a broker outside a band pays the square of its
distance and a price for each unit. What a move saves in these and costs in bytes decides whether it is made.
Prices that grow with what is left outside do first what serves several loads, or much for few bytes.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from equipoise.planning.loads.standing import Standing
from equipoise.planning.loads.weights import Int64

Float64 = npt.NDArray[np.float64]
INSIDE = 0.01
"""Parts of a band's width that are left free at each end, so that the end itself is soon reached."""
GROWTH = 1.8
"""By which prices grow from round to round. Both say how a search goes, not how far."""

NEAR = 32.0
"""What a share of a load is worth that comes nearer to bands out of reach, in shares of all bytes."""


class Pull:
    """Prices of a standing, ``(n_loads, n_brokers)`` each: above the bands, and below."""

    def __init__(self, standing: Standing, *, nears: bool = False) -> None:
        """``nears``: the last load is out of reach, so that each unit outside has one price, which stays."""
        self.standing, self.nears = standing, nears
        share = standing.share[:, None]
        width = np.maximum(standing.high - standing.low, 0) / share
        inside = np.minimum(INSIDE, width * INSIDE)
        self.low, self.high = standing.low / share + inside, standing.high / share - inside
        self.above, self.below = np.zeros_like(self.low), np.zeros_like(self.low)
        self.force = np.ones(len(share))
        """What the square of a distance of one share counts, beside the bytes of one share."""

    def held(self) -> Float64:
        """What brokers bear, in shares."""
        return self.standing.borne / self.standing.share[:, None]

    def prices(self) -> Float64:
        """What one share more costs each broker, negative where it helps."""
        # The slope of ``of``: a price shifts the point from which a distance
        # counts, so that what brought a broker into its band keeps it there.
        held, force = self.held(), self.force[:, None]
        above = np.maximum(held - self.high + self.above / force, 0)
        prices = force * (above - np.maximum(self.low - held + self.below / force, 0))
        if self.nears:
            prices[-1] = NEAR * np.sign(prices[-1])
        return prices

    def of(self, held: Float64, broker: int) -> Float64:
        """``(...,)``: what a broker pays for bearing ``(..., n_loads)`` shares."""
        above = np.maximum(held - self.high[:, broker] + self.above[:, broker] / self.force, 0)
        below = np.maximum(self.low[:, broker] - held + self.below[:, broker] / self.force, 0)
        # Half, so that the slope is force x distance + price.
        squares = (above * above + below * below) * (self.force / 2)
        if self.nears:
            squares[..., -1] = NEAR * (above + below)[..., -1]
        return np.asarray(squares.sum(axis=-1))

    def change(self, weight: Int64, source: int, target: int) -> Float64:
        """``(...,)``: what both pay more once ``(..., n_loads)`` have gone from one to the other."""
        share = self.standing.share
        there, here = (self.standing.borne[:, b] / share for b in (source, target))
        gone = weight / share
        return (
            self.of(there - gone, source)
            - self.of(there, source)
            + self.of(here + gone, target)
            - self.of(here, target)
        )

    def rise(self) -> None:
        """What is still outside has a higher price from now on."""
        # The price becomes the slope that was reached: it stays where a
        # broker came just inside, and falls where one is well inside.
        held, force = self.held(), self.force[:, None]
        self.above = np.maximum(force * (held - self.high) + self.above, 0)
        self.below = np.maximum(force * (self.low - held) + self.below, 0)
        if self.nears:
            # Out of reach, this load would have a price without end, and pull the others out of their bands.
            self.above[-1] = self.below[-1] = 0
        self.force = self.force * GROWTH
