"""The most that a query may cost by its plan."""

from core.errors import PlanCostError
from core.messages import message


def check_cost(cost: float | None, limit: int) -> None:
    """Raise PlanCostError if the planner's estimate is over the limit; None is no estimate."""
    if cost is not None and cost > limit:
        raise PlanCostError(
            message(
                "plan.too_costly",
                "the planned cost of the query is {cost}, and at most {limit} is allowed; narrow it,"
                " by a shorter time or fewer things asked for",
                cost=round(cost),
                limit=limit,
            )
        )
