"""The number of a step: counted from 0 inside, from 1 for people.

Always true: tables, plans, names of groups, metrics and JSON files hold the number from 0; what a person reads or types
(`RUN@1`, --step 1) is its ordinal, and only here is one made of the other.
"""


def ordinal(step: int) -> int:
    """A step as people count: 1 for the first. So many steps are done when it is."""
    return step + 1


def step_of(ordinal: int) -> int:
    """The step that people call the `ordinal`-th."""
    return ordinal - 1
