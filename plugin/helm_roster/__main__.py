"""``python -m helm_roster``: the command line, where no console script is installed."""

from helm_roster import cli

if __name__ == "__main__":
    cli.main()
