"""How Sphinx builds the site; `make docs` calls it with warnings as errors."""

from __future__ import annotations

import os
from pathlib import Path

# One thread for each example: the pages show the same numbers on every machine, and small tables
# gain nothing from more.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from click import Context
from sklearn.datasets import load_diabetes
from sphinx.application import Sphinx

import lukewarm as lw
from lukewarm import __version__
from lukewarm.cli import main

project = "lukewarm"
author = "The lukewarm developers"
copyright = author  # noqa: A001 -- Sphinx's name
version = release = __version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_design",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build"]
templates_path = ["_templates"]

# Markdown. Pages are also read on the forge, so they use plain links and no roles where they can.
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3

# API. Members are listed by our own template; numpydoc would list inherited ones once more.
autosummary_generate = True
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
toc_object_entries_show_parents = "hide"

# Gallery.
sphinx_gallery_conf = {
    "examples_dirs": str(Path(__file__).parent.parent / "examples"),
    "gallery_dirs": "auto_gallery",
    "filename_pattern": r"plot_",
    "within_subsection_order": "ExampleTitleSortKey",
    "download_all_examples": False,
    "show_memory": False,
    "min_reported_time": 1e6,
    "write_computation_times": False,
    # A figure needs no line that says which object it is.
    "ignore_repr_types": r"matplotlib\.axes",
}

# HTML. Nothing is fetched from elsewhere: no font, no script, no inventory of another project.
html_theme = "pydata_sphinx_theme"
html_title = "lukewarm"
html_static_path = ["_static"]
html_css_files = ["site.css"]
EXAMPLE = Path(__file__).parent / "_generated" / "site" / "example_report.html"
EXAMPLE.parent.mkdir(parents=True, exist_ok=True)
html_extra_path = [str(EXAMPLE.parent)]
html_copy_source = False
html_show_sourcelink = False
html_sidebars = {"start": [], "choosing": [], "glossary": []}  # pages without pages below them
html_theme_options = {
    "show_toc_level": 2,
    "header_links_before_dropdown": 6,
    "navbar_align": "left",
    "show_prev_next": False,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True


def write_command_line_help(app: object) -> None:
    """Write what ``--help`` prints, which command_line.md includes."""
    folder = Path(__file__).parent / "_generated"
    folder.mkdir(exist_ok=True)
    for name, command in main.commands.items():
        context = Context(command, info_name=f"lukewarm {name}", terminal_width=78)
        text = command.get_help(context) + "\n"
        target = folder / f"{name}.txt"
        # A file that did not change keeps its date, and the page is not built again.
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            target.write_text(text, encoding="utf-8")


def write_example_report(app: object) -> None:
    """Write the report that the pages link to; `make clean` has it written anew."""
    if EXAMPLE.exists():
        return
    X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    blood = {"blood": ["s1", "s2", "s3", "s4", "s5", "s6"]}
    vi = lw.VariableImportance(
        measure="r2", groups=blood, features=[*X.columns, "blood"], random_state=0
    ).fit(X, y)
    sv = lw.ShapleyImportance("boosting", measure="r2", n_coalitions=60, random_state=0).fit(X, y)
    lw.report(
        [vi, sv],
        EXAMPLE,
        title="What predicts the progression of diabetes",
        effects=vi.effects(),
        interactions=vi.interactions(top=4),
        segments=vi.result_.by(np.where(X["sex"] == 1, "sex 1", "sex 2")),
    )


def skip_scikit_learn(
    app: object, kind: str, name: str, member: object, skip: bool, options: object
) -> bool | None:
    """Leave out what classes inherit from scikit-learn: its docstrings point into its own site."""
    return True if str(getattr(member, "__module__", "")).startswith("sklearn.") else None


def setup(app: Sphinx) -> None:
    """Connect what is done before the pages are read."""
    app.connect("builder-inited", write_command_line_help)
    app.connect("builder-inited", write_example_report)
    app.connect("autodoc-skip-member", skip_scikit_learn)
