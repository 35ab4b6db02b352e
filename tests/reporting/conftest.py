from html.parser import HTMLParser

import numpy as np
import pytest

import lukewarm as lw

_VOID = {"meta", "input", "line", "rect", "br", "img", "link"}


class Page(HTMLParser):
    """A page as its tags, tables and texts."""

    def __init__(self, text):
        super().__init__()
        self.source = text
        self.tags, self.tables, self.scripts, self.sections = [], [], [], {}
        self._open, self._section, self._cell = [], None, None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.tags.append((tag, found))
        if tag == "section":
            self._section = found["aria-labelledby"]
            self.sections[self._section] = ""
        elif tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
            self._cell = True
            self.handle_data(" ")
        elif tag == "script":
            self.scripts.append([found, ""])
        if tag not in _VOID:
            self._open.append(tag)

    def handle_endtag(self, tag):
        if tag == "table":
            self._cell = None
        if tag == "section":
            self._section = None
        if tag in self._open:
            while self._open.pop() != tag:
                pass

    def handle_data(self, data):
        if "script" in self._open:
            self.scripts[-1][1] += data
            return
        if self._section:
            self.sections[self._section] += data
        if self._cell:
            self.tables[-1][-1][-1] += data

    def said(self, section):
        text = self.sections[section].replace("\N{NO-BREAK SPACE}", " ")
        return " ".join(text.split())

    def rows(self, table=0):
        return [[cell.strip() for cell in row] for row in self.tables[table]]

    def with_class(self, name):
        return [found for _, found in self.tags if name in (found.get("class") or "").split()]


@pytest.fixture(scope="session")
def parse():
    return lambda path: Page(path.read_text(encoding="utf-8"))


@pytest.fixture
def page(tmp_path, parse):
    def write(results, **options):
        return parse(lw.report(results, tmp_path / "report.html", **options))

    return write


def made(strengths, *, noise=0.05, n_rows=400, measure="r2", scale=1.0):
    """Return a result in which feature `name` is worth about its strength."""
    generator = np.random.default_rng(0)
    y = scale * generator.normal(size=n_rows)
    reduced = {
        name: 0.7 * y - strength * y + noise * scale * generator.normal(size=n_rows)
        for name, strength in strengths.items()
    }
    return lw.importance_from_predictions(y, 0.7 * y, reduced, measure=measure)


@pytest.fixture(scope="session")
def make_result():
    return made


@pytest.fixture(scope="session")
def data():
    return lw.datasets.make_correlated_linear(n_samples=400, random_state=0)


@pytest.fixture(scope="session")
def importance(data):
    return lw.VariableImportance(
        "boosting", measure=["r2", "neg_mse"], groups={"pair": ["X1", "X2"]}, random_state=7
    ).fit(data.X[["X1", "X2", "X3", "X4"]], data.y)


@pytest.fixture(scope="session")
def shapley(data):
    return lw.ShapleyImportance(
        "boosting", "early_stopping", measure="r2", inference="paired", random_state=7
    ).fit(data.X[["X1", "X2", "X3", "X4"]], data.y)
