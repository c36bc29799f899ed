#!/usr/bin/env python3
"""Reads records of iotrial into pandas: figures, seconds, latency histograms and the list of the store.

    python3 -m venv venv && venv/bin/pip install -r requirements.txt
    venv/bin/python read_records.py                              # all runs in your store
    venv/bin/python read_records.py a.iotrial.json --seconds     # one run, second by second
    venv/bin/python read_records.py a.iotrial.json --chart a.png # needs matplotlib
    venv/bin/python read_records.py --list                       # what `iotrial records` lists

`iotrial docs python` explains this script, `iotrial docs record` explains every key, and `iotrial schema record` prints the JSON Schema
of the files.
"""

import argparse
import base64
import json
import math
import os
import struct
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pandas as pd
import zstandard

# The names in `iotrial report --json`.
PERCENTILES = {
    "lat_p50_us": 50.0,
    "lat_p90_us": 90.0,
    "lat_p95_us": 95.0,
    "lat_p99_us": 99.0,
    "lat_p999_us": 99.9,
    "lat_p9999_us": 99.99,
}


class Latency:
    """A distribution of latencies, in nanoseconds. Several are added up first: percentiles are never averaged."""

    def __init__(self):
        self.buckets = Counter()  # upper edge of a bucket in ns -> number of I/Os
        self.count = self.sum_ns = self.max_ns = 0

    def add(self, written):
        """Adds a histogram in the form that it has in a record."""
        for upper_edge_ns, count in decode_hdr_v2(written["hdr_v2_ns"]):
            self.buckets[upper_edge_ns] += count
            self.count += count
        self.sum_ns += written["sum_ns"]
        self.max_ns = max(self.max_ns, written["max_ns"])

    def percentile_us(self, percent):
        """The latency that this share of the I/Os did not exceed; None without any I/O."""
        # 99.9 % of 1,000 is rank 999. Rounding in the last bit of the product must not make it rank 1,000.
        rank = max(1, math.ceil(percent / 100 * self.count * (1 - 1e-12)))
        seen = 0
        for upper_edge_ns in sorted(self.buckets):
            seen += self.buckets[upper_edge_ns]
            if seen >= rank:
                # The edge of the last bucket may be above the longest latency that occurred.
                return min(upper_edge_ns, self.max_ns) / 1_000
        return None

    def mean_us(self):
        return self.sum_ns / self.count / 1_000 if self.count else None


def decode_hdr_v2(text):
    """The buckets of a histogram that are not empty: upper edge in ns, and number of I/Os.

    The text is HdrHistogram's V2 encoding, uncompressed, in Base64 without padding. A header of 40 bytes is followed by
    the counts of all buckets as LEB128 with ZigZag; a negative number -N stands for N empty buckets.
    """
    data = base64.b64decode(text + "=" * (-len(text) % 4))
    cookie, length, _, digits, lowest_ns, _, _ = struct.unpack_from(">iiiiqqd", data)
    if cookie & ~0xF0 != 0x1C849303:
        raise ValueError("not a histogram in HdrHistogram's V2 encoding")
    unit_bits = lowest_ns.bit_length() - 1
    half_bits = (2 * 10**digits - 1).bit_length() - 1
    payload, at, index = data[40 : 40 + length], 0, 0
    while at < len(payload):
        number = shift = 0
        while True:
            byte = payload[at]
            at += 1
            # The ninth byte has eight bits of the number, and no bit that says whether another byte follows.
            number |= (byte if shift == 56 else byte & 0x7F) << shift
            shift += 7
            if byte < 0x80 or shift == 63:
                break
        count = (number >> 1) ^ -(number & 1)
        if count <= 0:
            index += max(1, -count)
            continue
        octave = max(0, (index >> half_bits) - 1)
        step = index - (octave << half_bits)
        yield ((step + 1) << (octave + unit_bits)) - 1, count
        index += 1


def read_record(path):
    """A record as it is on disk: `.json`, or `.json.zst` if it is large."""
    with open(path, "rb") as file:
        if str(path).endswith(".zst"):
            file = zstandard.ZstdDecompressor().stream_reader(file)
        return json.loads(file.read())


def default_store():
    """The folder in which iotrial keeps its records, unless --store or IOTRIAL_STORE name another one."""
    if os.environ.get("IOTRIAL_STORE"):
        return Path(os.environ["IOTRIAL_STORE"])
    if os.name == "nt":
        return Path(os.environ["LOCALAPPDATA"]) / "iotrial"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share") / "iotrial"


def records_in(store):
    """The files of all records in a store: runs, sweeps and imported results, the oldest first."""
    endings = (".json", ".json.zst")
    return sorted(path for path in Path(store).glob("*.iotrial*") if path.name.endswith(endings))


def is_commit_log(job):
    """Whether each write of a job is a commit: the job is a log, and every one of its writes is durable."""
    every_write = job["durability"] != "none" and job.get("flush_every", 1) == 1
    return job["role"] == "log" and every_write and "group_commit" not in job


def streams_of(plan, all_counts):
    """The counts of the jobs by role and stream: reads, writes, and the commits among the writes."""
    for job, counts in zip(plan["jobs"], all_counts):
        commits = counts.get("write") if is_commit_log(job) else counts.get("commit")
        for stream, ops in (("read", counts.get("read")), ("write", counts.get("write")), ("commit", commits)):
            if ops is not None:
                yield job["role"], stream, ops


def figures_of(all_ops, duration_s):
    """The figures of several counts together, under their names in `iotrial report --json`."""
    latency, byte_count, error_count = Latency(), 0, 0
    for ops in all_ops:
        latency.add(ops["total_latency"])
        byte_count += ops["bytes"]
        error_count += ops.get("error_count", 0)
    return {
        "io_count": latency.count,
        "error_count": error_count,
        "iops": latency.count / duration_s if duration_s else None,
        "bandwidth_mib_per_s": byte_count / duration_s / 2**20 if duration_s else None,
        "lat_mean_us": latency.mean_us(),
        **{name: latency.percentile_us(percent) for name, percent in PERCENTILES.items()},
        "lat_max_us": latency.max_ns / 1_000 if latency.count else None,
    }


def is_run(record):
    return record["format"] == "iotrial.record/1"


def run_figures(record):
    """The measured phase of a run: a row for each stream, of all jobs together (role `total`) and of each role.

    For a load with steps, these are the figures of all steps together; `iotrial report` shows each step.
    """
    measured_s = sum(interval["duration_s"] for interval in record["intervals"] if interval["phase"] == "measure")
    groups = {}
    for role, stream, ops in streams_of(record["plan"], record["jobs"]):
        groups.setdefault(("total", stream), []).append(ops)
        groups.setdefault((role, stream), []).append(ops)
    about = {"id": record["id"], "label": record.get("label"), "profile": record["plan"]["profile"]}
    rows = [
        {**about, "role": role, "stream": stream, **figures_of(all_ops, measured_s)}
        for (role, stream), all_ops in groups.items()
    ]
    return pd.DataFrame(rows)


def run_seconds(record):
    """A run over time: a row for each interval and stream, all jobs together."""
    rows = []
    for interval in record["intervals"]:
        groups = {}
        for _, stream, ops in streams_of(record["plan"], interval["jobs"]):
            groups.setdefault(stream, []).append(ops)
        about = {key: interval[key] for key in ("start_s", "duration_s", "phase")}
        rows += [
            {**about, "stream": stream, **figures_of(all_ops, interval["duration_s"])}
            for stream, all_ops in groups.items()
        ]
    return pd.DataFrame(rows)


def results_in(store):
    """What `iotrial records` lists of a store, a row for each result, the oldest first."""
    command = [os.environ.get("IOTRIAL", "iotrial"), "records", "--json", "--sort", "started", "--reverse", "--store", store]
    listed = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return pd.DataFrame(json.loads(listed.stdout))


def draw(records, path):
    """Percentile curves of all runs: latency over the share of I/Os that took longer, both logarithmic."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(9, 5))
    for record in records:
        by_stream = {}
        for _, stream, ops in streams_of(record["plan"], record["jobs"]):
            by_stream.setdefault(stream, Latency()).add(ops["total_latency"])
        for stream, latency in by_stream.items():
            percents = [0, 50, 75, 90, 95, 99, 99.5, 99.9, 99.99, 99.999]
            shares = [100 - percent for percent in percents if latency.count * (100 - percent) >= 100]
            values = [latency.percentile_us(100 - share) for share in shares]
            axes.plot(shares, values, marker=".", label=f"{record.get('label') or record['id']}, {stream}")
    axes.set(xscale="log", yscale="log", xlabel="share of I/Os that took longer, %", ylabel="latency, µs")
    axes.invert_xaxis()
    axes.grid(True, which="both", alpha=0.3)
    axes.legend()
    figure.savefig(path, dpi=150)


def main():
    parser = argparse.ArgumentParser(description="Reads records of iotrial into pandas.")
    parser.add_argument("records", nargs="*", help="record files [default: all of the store]")
    parser.add_argument("--store", default=default_store(), help="folder of the store")
    parser.add_argument("--seconds", action="store_true", help="a row for each second instead of one for the whole run")
    parser.add_argument("--list", action="store_true", help="show what `iotrial records` lists, without reading records")
    parser.add_argument("--schema", help="check each record against this file, which `iotrial schema record` prints")
    parser.add_argument("--csv", action="store_true", help="print CSV instead of a table")
    parser.add_argument("--json", action="store_true", help="print JSON, a list of rows")
    parser.add_argument("--chart", metavar="FILE", help="draw percentile curves into a PNG, SVG or PDF file")
    arguments = parser.parse_args()

    if arguments.list:
        table = results_in(arguments.store)
    else:
        paths = arguments.records or records_in(arguments.store)
        records = [read_record(path) for path in paths]
        if arguments.schema:
            import jsonschema

            validator = jsonschema.Draft202012Validator(json.loads(Path(arguments.schema).read_text("utf-8")))
            validator.check_schema(validator.schema)
            for path, record in zip(paths, records):
                for mistake in validator.iter_errors(record):
                    sys.exit(f"{path}: {mistake.json_path}: {mistake.message}")
        # Sweeps and imported results have other forms, and no plan with jobs.
        runs = [record for record in records if is_run(record)]
        if not runs:
            sys.exit("no record of a run is among them")
        read = run_seconds if arguments.seconds else run_figures
        table = pd.concat([read(record) for record in runs], ignore_index=True)
        if arguments.chart:
            draw(runs, arguments.chart)

    if arguments.json:
        print(table.to_json(orient="records", double_precision=15, indent=1))
    elif arguments.csv:
        table.to_csv(sys.stdout, index=False)
    else:
        print(table.to_string(index=False, float_format=lambda number: f"{number:,.1f}"))


if __name__ == "__main__":
    main()
