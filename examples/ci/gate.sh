#!/bin/sh
# Measures storage in CI, and passes or fails by the gates that it is given. Used by github.yml and gitlab.yml beside it.
#
#     gate.sh --need 2000iops --target /mnt/data --gate 'log.commit.p99 < 5ms'
#
# takes the options of `iotrial run`. Into the folder RESULTS (iotrial-results) it writes
#
#     store/       the record; `iotrial report RECORD` shows it again
#     report.html  the report
#     summary.md   the same as Markdown, with the verdict and the gates
#     gates.xml    the gates as JUnit XML: a test case for each
#
# and appends the summary to the page of the job where GitHub Actions names its file (GITHUB_STEP_SUMMARY).
#
# Exit code: 0 all gates kept, 1 one missed, 2 wrong options, 3 it could not measure, 4 undecided: measure longer, or again.
# With UNDECIDED=pass, 0 instead of 4.
set -eu

iotrial=${IOTRIAL:-iotrial}
results=${RESULTS:-iotrial-results}
mkdir -p "$results"
# Those of an earlier job on this machine must not be taken for those of this one.
rm -f "$results/report.html" "$results/summary.md" "$results/gates.xml"

code=0
IOTRIAL_STORE="$results/store" "$iotrial" run --quiet "$@" \
    --html "$results/report.html" --markdown "$results/summary.md" --junit "$results/gates.xml" || code=$?

# Missing where nothing was measured: the messages above say why.
if [ -n "${GITHUB_STEP_SUMMARY:-}" ] && [ -e "$results/summary.md" ]; then
    cat "$results/summary.md" >>"$GITHUB_STEP_SUMMARY"
fi

if [ "$code" -eq 4 ]; then
    message="storage: no gate was missed, but not all could be decided; measure longer, or again"
    # The one form that GitHub shows beside the job; elsewhere a line as any other.
    if [ -n "${GITHUB_ACTIONS:-}" ]; then echo "::warning::$message"; else echo "warning: $message" >&2; fi
    if [ "${UNDECIDED:-fail}" = pass ]; then code=0; fi
fi
exit "$code"
