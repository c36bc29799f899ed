#!/bin/sh
# Measures storage in CI, and passes or fails by the gates that you give. The files github.yml and gitlab.yml next to it use it.
#
#     gate.sh --need 2000iops --target /mnt/data --gate 'log.commit.p99 < 5ms'
#
# It takes the options of `iotrial run`, and writes these files into the folder RESULTS (iotrial-results):
#
#     store/       the record; `iotrial report RECORD` shows it again
#     report.html  the report
#     summary.md   the same as Markdown, with the verdict and the gates
#     gates.xml    the gates as JUnit XML: a test case for each
#
# In GitHub Actions, which names a file for it in GITHUB_STEP_SUMMARY, it also appends the summary to the page of the job.
#
# The exit code is 0 if all gates passed, 1 if one failed, 2 for wrong options, 3 if it could not measure, and 4 if the gates are
# undecided: measure longer, or again.
# With UNDECIDED=pass, the exit code is 0 instead of 4.
set -eu

iotrial=${IOTRIAL:-iotrial}
results=${RESULTS:-iotrial-results}
mkdir -p "$results"
# The reports of an earlier job on this machine must not be taken for those of this job.
rm -f "$results/report.html" "$results/summary.md" "$results/gates.xml"

code=0
IOTRIAL_STORE="$results/store" "$iotrial" run --quiet "$@" \
    --html "$results/report.html" --markdown "$results/summary.md" --junit "$results/gates.xml" || code=$?

# The summary is missing if nothing was measured; the messages above say why.
if [ -n "${GITHUB_STEP_SUMMARY:-}" ] && [ -e "$results/summary.md" ]; then
    cat "$results/summary.md" >>"$GITHUB_STEP_SUMMARY"
fi

if [ "$code" -eq 4 ]; then
    message="storage: no gate failed, but not all could be decided; measure longer, or again"
    # GitHub shows a message in this form, and only this one, next to the job. Elsewhere it is an ordinary line.
    if [ -n "${GITHUB_ACTIONS:-}" ]; then echo "::warning::$message"; else echo "warning: $message" >&2; fi
    if [ "${UNDECIDED:-fail}" = pass ]; then code=0; fi
fi
exit "$code"
