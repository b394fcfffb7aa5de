import json
import os
import unittest

from ledger.report import report

BOOK = os.environ["LEDGER_BOOK"]


class Report(unittest.TestCase):
    def test_json_names_every_account(self):
        self.assertEqual(set(json.loads(report(BOOK, "json"))), {"cash", "food", "rent", "salary"})

    def test_text_has_one_line_per_account(self):
        self.assertEqual(len(report(BOOK).splitlines()), 4)
