#!/bin/sh
# Print release notes: the subjects of all commits.
git log --format='- %s'
