"""A blind sheet, and what a filled one says."""

import csv

import msgspec
import pytest

from envs.builders import index
from envs.pipeline.making import good
from trivium.envs.search.pipeline import Ledger, Line, write_set
from trivium.episode import ConfigError, DataError
from trivium.run import agree, write_sheet
from trivium.run.making import LEDGER


@pytest.fixture
def folder(tmp_path):
    """Ten accepted and six refused items, and two numbers of which nothing was written."""
    write_set(tmp_path / "set", [good()], index().corpus)
    with Ledger(tmp_path / "set" / LEDGER, "m") as ledger:
        for number in range(16):
            item = msgspec.structs.replace(good(), question=f"{good().question} ({number})")
            ledger.put(Line(number, item, "chain: a hop is not needed" if number % 8 < 3 else ""))
        ledger.put(Line(16, refused="explore: nothing is linked and named there"))
    return tmp_path / "set"


def rows(sheet):
    with sheet.open(newline="") as file:
        return list(csv.DictReader(file))


def fill(sheet, say):
    filled = [row | {"good": say(row)} for row in rows(sheet)]
    with sheet.open("w", newline="") as file:
        writer = csv.DictWriter(file, filled[0])
        writer.writeheader()
        writer.writerows(filled)


def number_of(row):
    return int(row["question"].rpartition("(")[2].rstrip(")"))


def test_a_sheet_is_blind_shuffled_and_the_same_for_its_seed(folder, tmp_path):
    assert write_sheet(folder, tmp_path / "one.csv", 12, 3) == 12
    write_sheet(folder, tmp_path / "two.csv", 12, 3)
    assert (tmp_path / "one.csv").read_text() == (tmp_path / "two.csv").read_text()
    shown = rows(tmp_path / "one.csv")
    numbers = [number_of(row) for row in shown]
    assert len(set(numbers)) == 12
    assert numbers != sorted(numbers)
    assert sum(number % 8 < 3 for number in numbers) == 6
    assert "not needed" not in (tmp_path / "one.csv").read_text()
    assert all(not row["good"] and good().truth in row["passages"] for row in shown)


def test_people_who_agree_and_people_who_do_not(folder, tmp_path):
    sheet = tmp_path / "sheet.csv"
    write_sheet(folder, sheet, 12, 0)
    fill(sheet, lambda row: "no" if number_of(row) % 8 < 3 else "Yes")
    found = agree(folder, sheet, 0)
    assert found.agreement.share.mean == found.agreement.kappa.mean == 1.0
    assert found.agreement.share.low < 1
    left = number_of(next(row for row in rows(sheet) if number_of(row) % 8 >= 3))
    fill(sheet, lambda row: "" if number_of(row) == left else "yes")
    found = agree(folder, sheet, 0)
    assert (found.labelled, found.blank) == (11, 1)
    assert found.agreement.share.mean == pytest.approx(5 / 11)


def test_a_sheet_that_cannot_be_read_names_its_row(folder, tmp_path):
    sheet = tmp_path / "sheet.csv"
    write_sheet(folder, sheet, 4, 0)
    with pytest.raises(DataError, match="has no label"):
        agree(folder, sheet, 0)
    fill(sheet, lambda row: "perhaps")
    with pytest.raises(DataError, match="row 2: good is 'perhaps'"):
        agree(folder, sheet, 0)
    with pytest.raises(DataError, match="is of no task"):
        agree(folder, sheet, 1)
    with pytest.raises(ConfigError, match="was not written"):
        write_sheet(folder, sheet, 4, 0)
