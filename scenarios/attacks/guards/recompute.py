"""`recompute`: the analyst repeats the curator's decision from the published counts of columns."""

from dataclasses import replace

from ..catalogue.guard import Guard, Requirement

GUARD = Guard(
    key="defence.recompute",
    on=True,
    off=False,
    held_in=("protocol/board/alarms.py", "roles/board_monitor.py"),
    guards="the analyst computes the curator's decision again from the published marginals",
    setting="the analyst decides again from published marginals",
    price="marginals must be public",
    default=False,
    needs={"policy.publish_marginals": True},
    wanted=(
        Requirement.switched_on(
            "policy.publish_marginals", "there is nothing to decide again from"
        ),
    ),
    observe=lambda guards, setting: replace(guards, recompute=setting.defence.recompute),
)
