"""Times unecho's signing beside that of datasketch, gaoya and rensa. run.sh starts it.

Each contender signs testdata/english.txt, 2 kB, in shingles of five words, into 128 slots, on one core. They take turns, a
fraction of a second each, and the least time of all rounds counts: it is what the code takes when nothing disturbs it.
"""

import re
import subprocess
import sys
import time
from importlib.metadata import version

import datasketch
import gaoya.minhash
import rensa

SLOTS, WORDS = 128, 5
SLICE = 0.3  # seconds of each turn


def shingles(text):
    words = re.findall(r"\w+", text.lower())
    return [" ".join(words[i : i + WORDS]) for i in range(len(words) - WORDS + 1)]


def sign_datasketch(tokens):
    sketch = datasketch.MinHash(num_perm=SLOTS)
    sketch.update_batch([token.encode() for token in tokens])
    return sketch.hashvalues


def sign_rensa(tokens):
    return rensa.RMinHash.digests_from_token_sets([tokens], SLOTS, 1)


def clock(work):
    """The least time of one call, of as many as fit into a turn."""
    least, end = float("inf"), time.perf_counter() + SLICE
    while (begin := time.perf_counter()) < end:
        work()
        least = min(least, time.perf_counter() - begin)
    return least


def clock_go(binary, directory, bench):
    """The same of a Go benchmark: the least of means over a millisecond."""
    turns = f"-test.count={round(SLICE / 0.001)}"
    command = [binary, "-test.run=^$", f"-test.bench={bench}", "-test.benchtime=1ms", turns, "-test.cpu=1"]
    out = subprocess.run(command, cwd=directory, check=True, capture_output=True, text=True).stdout
    return min(map(float, re.findall(r"([\d.]+) ns/op", out))) * 1e-9


def main():
    binary, directory, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with open(f"{directory}/testdata/english.txt", encoding="utf-8") as file:
        text = file.read()
    tokens = shingles(text)
    # 18 bands of 7 rows use 126 slots. A query of an empty index signs, and finds nothing.
    index = gaoya.minhash.MinHashStringIndex(32, 0.8, 18, 7, None, "word", True, (WORDS, WORDS))

    def go(bench):
        return lambda: clock_go(binary, directory, bench)

    def python(work):
        return lambda: clock(work)

    whole, ready = "text to sketch", "shingles to sketch"
    contenders = [
        (whole, "unecho", "with band keys", go("^BenchmarkSign$/^minhash128$/^word5$/^english2kB$")),
        (whole, "unecho, textbook", "128 permutations, in Go", go("^BenchmarkSign$/^textbook128$/^word5$/^english2kB$")),
        (whole, "gaoya", "query of an empty index", python(lambda: index.query(text))),
        (whole, "rensa", "shingles by re and join", python(lambda: sign_rensa(shingles(text)))),
        (whole, "datasketch", "shingles by re and join", python(lambda: sign_datasketch(shingles(text)))),
        (ready, "unecho", "from their hashes", go("^BenchmarkStep$/^sign$")),
        (ready, "rensa", "from strings", python(lambda: sign_rensa(tokens))),
        (ready, "datasketch", "from strings", python(lambda: sign_datasketch(tokens))),
    ]
    least = [float("inf")] * len(contenders)
    for round_ in range(rounds):
        for i, (_, _, _, measure) in enumerate(contenders):
            least[i] = min(least[i], measure())
        print(f"\rround {round_ + 1} of {rounds}", end="", file=sys.stderr)
    print(file=sys.stderr)

    print(f"english.txt, {len(text.encode())} bytes, {len(tokens)} shingles of {WORDS} words, {SLOTS} slots, one core")
    print(f"{'':20} {'':22} {'':26} {'us/document':>12} {'x unecho':>9}")
    ours = {what: least[i] for i, (what, name, _, _) in enumerate(contenders) if name == "unecho"}
    for i, (what, name, how, _) in enumerate(contenders):
        label = name if name.startswith("unecho") else f"{name} {version(name)}"
        print(f"{what:20} {label:22} {how:26} {least[i] * 1e6:12.2f} {least[i] / ours[what]:9.1f}")


if __name__ == "__main__":
    main()
