"""How often and how long, by labels: plain numbers in a dict, a twentieth of the cost of a library's."""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate

from prometheus_client.core import HistogramMetricFamily

# Upper bounds in seconds, as the semantic conventions for MCP have them.
BUCKETS_S = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300)


class Durations:
    """A histogram for each tuple of labels; notes in one thread, or in several with the GIL's own care."""

    def __init__(self, name: str, text: str, labels: Sequence[str]) -> None:
        self._name, self._text, self._labels = name, text, labels
        # Of each: counts by bucket, the last beyond all bounds, and the sum in seconds.
        self._found: dict[tuple[str, ...], tuple[list[int], list[float]]] = {}

    def note(self, labels: tuple[str, ...], seconds: float) -> None:
        """Count one of these."""
        found = self._found.get(labels)
        if found is None:
            found = self._found.setdefault(labels, ([0] * (len(BUCKETS_S) + 1), [0.0]))
        found[0][bisect_left(BUCKETS_S, seconds)] += 1
        found[1][0] += seconds

    def family(self) -> HistogramMetricFamily:
        """All of them, for Prometheus."""
        family = HistogramMetricFamily(self._name, self._text, labels=self._labels)
        bounds = [*map(str, BUCKETS_S), "+Inf"]
        for labels, (counts, (seconds,)) in list(self._found.items()):
            family.add_metric(
                labels, list(zip(bounds, accumulate(counts), strict=True)), sum_value=seconds
            )
        return family
