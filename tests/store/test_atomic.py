"""A folder is whole or absent, and readable by whom the user's umask lets read."""

import os
from pathlib import Path

import pytest

from trivium.store import write_folder


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_files_get_the_mode_of_the_umask_whatever_wrote_them(tmp_path: Path, umask: int, mode: int) -> None:
    def fill(folder: Path) -> None:
        (folder / "secret").touch(mode=0o600)
        (folder / "below").mkdir()
        (folder / "below" / "plain").touch()

    before = os.umask(umask)
    try:
        write_folder(tmp_path / "folder", fill)
    finally:
        os.umask(before)
    files = [path for path in (tmp_path / "folder").rglob("*") if path.is_file()]
    assert [path.stat().st_mode & 0o777 for path in files] == [mode, mode]


def test_a_folder_whose_filling_fails_is_absent(tmp_path: Path) -> None:
    def fill(folder: Path) -> None:
        (folder / "half").touch()
        raise KeyError("boom")

    with pytest.raises(KeyError):
        write_folder(tmp_path / "folder", fill)
    assert list(tmp_path.iterdir()) == []
