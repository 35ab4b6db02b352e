"""A wheel and an sdist that could be published."""

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import lukewarm as lw

pytest.importorskip("hatchling")
ROOT = Path(__file__).parents[1]


def run(*arguments, **options):
    command = [sys.executable, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dist")
    run("-m", "hatchling", "build", "-d", folder, cwd=ROOT)
    return folder


def test_the_wheel_runs_where_the_sources_are_not(built, tmp_path):
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    # -I keeps the checkout off the path; the packages it needs stay on it.
    start = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); "
    code = start + (
        "import runpy, lukewarm; print(lukewarm.__file__, flush=True); "
        "sys.argv = ['lukewarm', '--version']; runpy.run_module('lukewarm', run_name='__main__')"
    )
    place, version = run("-I", "-c", code).splitlines()
    assert Path(place).is_relative_to(tmp_path)
    assert lw.__version__ in version


def test_the_wheel_holds_what_is_not_python(built):
    (wheel,) = built.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    files = (ROOT / "src" / "lukewarm").rglob("*")
    extra = [path for path in files if path.suffix in {".html", ".css", ".js"}]
    assert extra
    assert "lukewarm/py.typed" in names
    assert {path.relative_to(ROOT / "src").as_posix() for path in extra} <= names


def test_the_sdist_holds_what_the_tests_need(built):
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"README.md", "LICENSE", "CITATION.cff", "tests/conftest.py", "docs/api.rst"} <= names
