"""Reading and extending a book: lines of `DATE ACCOUNT AMOUNT`."""
from vendor import money


def entries(path):
    with open(path) as book:
        return [line.split() for line in book if line.strip()]


def balances(path):
    sums = {}
    for _date, account, amount in entries(path):
        sums[account] = sums.get(account, 0) + money.parse(amount)
    return sums


def add(path, date, account, amount):
    money.parse(amount)
    with open(path, "a") as book:
        book.write(f"{date} {account} {amount}\n")
