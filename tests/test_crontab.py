"""Cron schedules: what is accepted fires as written, what is not says why."""

from __future__ import annotations

import pytest
from apscheduler.triggers.cron import CronTrigger

from troth.crontab import crontab_fault

GOOD = ["0 3 * * *", "*/10 8-18/2 1,15 jan-mar mon-fri", "59 23 31 12 SUN", "0 0 * * mon,wed"]


@pytest.mark.parametrize("text", GOOD)
def test_good_schedules_are_accepted_here_and_by_the_scheduler(text):
    assert crontab_fault(text) is None
    assert CronTrigger.from_crontab(text, timezone="UTC")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0 3 * *", "4 fields instead of 5"),
        ("", "0 fields"),
        ("60 3 * * *", "0 to 59"),
        ("0 24 * * *", "0 to 23"),
        ("0 3 0 * *", "1 to 31"),
        ("0 3 * 13 *", "1 to 12"),
        ("0 3 * foo *", "'foo' as month"),
        ("0 3 * * 1", "write names (mon, tue"),
        ("0 3 * * 1-5", "write names (mon, tue"),
        ("0 3 * * fri-mon", "ends before it begins"),
        ("*/0 3 * * *", "the step '0'"),
        ("*/x 3 * * *", "the step 'x'"),
        ("*-5 3 * * *", "'*-5' as minute"),
        ("1,,2 3 * * *", "'' as minute"),
        ("@daily", "1 fields"),
    ],
)
def test_bad_schedules_say_what_is_wrong(text, said):
    assert said in (crontab_fault(text) or "")
