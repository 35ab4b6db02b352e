"""How the commands read their options and say what went wrong: one line, exit code 2."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from lukewarm._text import printable
from lukewarm._validation import check_choice


class _Failure(click.ClickException):
    exit_code = 2

    def format_message(self) -> str:
        return printable(" ".join(self.message.split()))


def failure(message: str) -> click.ClickException:
    """Return the error that ends a command with this line."""
    return _Failure(message)


class MeasureOption(click.Option):
    """An option whose help names the measures, taken from their registry when it is shown."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        from lukewarm.measures import own_names

        names = {
            "numbers": ", ".join(own_names(of_classes=False)),
            "classes": ", ".join(own_names(of_classes=True)),
        }
        record = super().get_help_record(ctx)
        return None if record is None else (record[0], record[1].format(**names))


class OneOf(click.ParamType):
    """One of the names in a registry, whose room is loaded when the option is used or explained."""

    name = "name"

    def __init__(self, room: str, registry: str, *more: str) -> None:
        self._room, self._registry, self._more = room, registry, more

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return check_choice("it", value, self._known())
        except ValueError as error:
            self.fail(str(error), param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        return [CompletionItem(name) for name in self._known() if name.startswith(incomplete)]

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        return f"[{'|'.join(self._known())}]"

    def _known(self) -> tuple[str, ...]:
        return (*self._more, *getattr(import_module(f"lukewarm.{self._room}"), self._registry))


class _NamedPath(click.Path):
    """A path; nothing is not the current folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not str(value):
            self.fail("the path is empty.", param, ctx)
        return super().convert(value, param, ctx)


PATH = _NamedPath(path_type=Path)


@contextmanager
def _one_line() -> Iterator[None]:
    """Turn click's three lines about a wrong option into one."""
    try:
        yield
    except click.UsageError as error:
        # Newer versions of click show the help by this error when there are no arguments.
        if error.ctx is None or isinstance(
            error, getattr(click.exceptions, "NoArgsIsHelpError", ())
        ):
            raise
        hint = f"Try '{error.ctx.command_path} --help'."
        raise failure(f"{error.format_message()} {hint}") from error


class Commands(click.Group):
    def make_context(self, *args: Any, **options: Any) -> click.Context:
        with _one_line():
            return super().make_context(*args, **options)

    def invoke(self, ctx: click.Context) -> Any:
        with _one_line():
            return super().invoke(ctx)


def plain_errors(command: Callable[..., None]) -> Callable[..., None]:
    """Turn what the library refuses into one line and exit code 2."""

    @wraps(command)
    def guarded(*args: Any, **options: Any) -> None:
        try:
            with warnings.catch_warnings(record=True) as notes:
                command(*args, **options)
            for note in notes:
                # There is no result_ to ask here.
                said = str(note.message).replace(", see also result_.health():", ":")
                click.echo(f"Note: {printable(said, keep=chr(10))}", err=True)
        except (ValueError, TypeError, OSError, ImportError, FloatingPointError) as error:
            raise failure(str(error)) from error

    return guarded
