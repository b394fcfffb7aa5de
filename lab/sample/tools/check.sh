#!/bin/sh
# Check that book lines have three fields: one FILE, or --every book in examples/.
case $1 in
  --every) set -- examples/*.txt ;;
  -*) echo "check: unknown option $1" >&2; exit 2 ;;
esac
for book; do
  awk 'NF != 3 { print FILENAME ": line " NR ": want 3 fields, have " NF; bad = 1 } END { exit bad }' "$book" || exit 1
done
echo "check: ok"
