import os
import unittest

from ledger.book import balances

BOOK = os.environ["LEDGER_BOOK"]


class Book(unittest.TestCase):
    def test_balances_sum_to_zero(self):
        self.assertEqual(sum(balances(BOOK).values()), 0)
