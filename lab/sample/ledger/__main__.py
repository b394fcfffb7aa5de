"""Command line: balance, report, add."""
import argparse

from vendor import money

from . import book
from .report import report


def main():
    parser = argparse.ArgumentParser(prog="ledger", allow_abbrev=False)
    parser.add_argument("--book", default="examples/book.txt")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("balance")
    wanted = commands.add_parser("report")
    wanted.add_argument("--output", choices=["text", "json"], default="text")
    new = commands.add_parser("add")
    for field in ("date", "account", "amount"):
        new.add_argument(field)
    args = parser.parse_args()
    if args.command == "balance":
        print(money.show(sum(book.balances(args.book).values())))
    elif args.command == "report":
        print(report(args.book, args.output))
    else:
        book.add(args.book, args.date, args.account, args.amount)
        print("added")


main()
