"""``python -m lukewarm``: the command line where its script is not on the path."""

from lukewarm.cli import main

if __name__ == "__main__":
    main(prog_name="lukewarm")
