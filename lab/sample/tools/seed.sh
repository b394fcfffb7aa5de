#!/bin/sh
# Write a book with one opening line per account. Reads accounts.csv from the current folder.
set -e
[ -r accounts.csv ] || { echo "seed: accounts.csv: no such file" >&2; exit 1; }
mkdir -p ../dist
while IFS=, read -r account amount; do echo "2026-01-01 $account $amount"; done <accounts.csv >../dist/seed.txt
echo "seeded $(wc -l <../dist/seed.txt) accounts"
