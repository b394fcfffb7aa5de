"""Money as whole cents, so that sums stay exact."""


def parse(text):
    whole, _, cents = text.partition(".")
    sign = -1 if whole.startswith("-") else 1
    return int(whole) * 100 + sign * int((cents + "00")[:2])


def show(cents):
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100}.{abs(cents) % 100:02d}"
