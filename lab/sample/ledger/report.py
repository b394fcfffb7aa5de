"""The report, as text or JSON."""
import json
import sys

from .book import balances


def report(path, output="text"):
    sums = balances(path)
    if output == "json":
        return json.dumps(sums, sort_keys=True)
    return "\n".join(f"{account:<12}{cents / 100:>10.2f}" for account, cents in sorted(sums.items()))


if __name__ == "__main__":
    print(report(sys.argv[1] if len(sys.argv) > 1 else "examples/book.txt"))
