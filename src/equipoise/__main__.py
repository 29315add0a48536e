"""``python -m equipoise``: the command where its script is not on the path."""

from equipoise.cli.main import main

if __name__ == "__main__":
    main()
