"""Judges corpora with unecho dedup, gaoya, rensa and datasketch, side by side. `run.sh stream` starts it.

Each contender takes one document after another, on one core, in shingles of three words: one that is as similar as 0.8 to a kept
one is a copy, any other is kept. The others have 18 bands of 7 slots, and compare what these find by their own estimate; unecho
has the bands that it plans itself, and compares exactly. They take turns, each in a process of its own, and the least processor time
of all rounds counts, without what it takes to start a
process: for unecho with reading the file, for the others of their loop over texts in memory.

Whether they are right is held against the exact join of the corpora, or in large ones against the copies that were planted (see
deploy/dev/bench/dedup). A peer that takes longer than a bound of processor time ends there, and what it has judged counts.
"""

import json
import os
import re
import resource
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

import datasketch
import gaoya.minhash
import rensa

THRESHOLD, WORDS, BANDS, ROWS = 0.8, 3, 18, 7
SLOTS = BANDS * ROWS


def shingles(text):
    words = re.findall(r"\w+", text.lower())
    return [" ".join(words[i : i + WORDS]) for i in range(max(1, len(words) - WORDS + 1))]


def judge_gaoya(texts):
    index = gaoya.minhash.MinHashStringIndex(32, THRESHOLD, BANDS, ROWS, None, "word", True, (WORDS, WORDS), "vec")
    for number, text in enumerate(texts):
        near = index.query(text)
        if not near:
            index.insert_document(number, text)
        yield near, index


def judge_rensa(texts):
    index, kept = rensa.RMinHashLSH(threshold=THRESHOLD, num_perm=SLOTS, num_bands=BANDS), {}
    for number, text in enumerate(texts):
        sketch = rensa.RMinHash(num_perm=SLOTS, seed=1)
        sketch.update(shingles(text))
        near = [k for k in index.query(sketch) if sketch.jaccard(kept[k]) >= THRESHOLD]
        if not near:
            index.insert(number, sketch)
            kept[number] = sketch
        yield near, index


def judge_datasketch(texts):
    index, kept = datasketch.MinHashLSH(num_perm=SLOTS, params=(BANDS, ROWS)), {}
    for number, text in enumerate(texts):
        sketch = datasketch.MinHash(num_perm=SLOTS)
        sketch.update_batch([s.encode() for s in shingles(text)])
        near = [k for k in index.query(sketch) if sketch.jaccard(kept[k]) >= THRESHOLD]
        if not near:
            index.insert(number, sketch)
            kept[number] = sketch
        yield near, index


def resident():
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) << 10


def apart(judge, texts, most):
    """What a contender comes to, in a process of its own: seconds of processor time, bytes, and the matches. It ends after most
    seconds."""
    read, write = os.pipe()
    if os.fork() == 0:
        before, began = resident(), time.process_time()
        matches, index = [], None
        for near, index in judge(texts):
            matches.append(list(near))
            if len(matches) % 256 == 0 and time.process_time() - began > most:
                break
        took = time.process_time() - began
        with os.fdopen(write, "w") as out:
            json.dump([took, resident() - before, matches], out)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as result:
        done = json.load(result)
    os.wait()
    return done


def run_unecho(program, path):
    """The same of unecho dedup, without the time and the memory that a run without documents takes."""
    copies = path.with_suffix(".copies")
    environment = dict(os.environ, GOMAXPROCS="1")

    def run(source, out):
        command = [program, "dedup", "--json", "--duplicates", out, source]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        summary = json.loads(subprocess.run(command, env=environment, check=True, capture_output=True).stdout)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, summary

    started, empty = min((run(os.devnull, os.devnull) for _ in range(5)), key=lambda r: r[0])
    took, summary = run(str(path), str(copies))
    matches = [[] for _ in range(summary["documents"])]
    for line in copies.open(encoding="utf-8"):
        copy = json.loads(line)
        matches[int(copy["id"])] = [int(copy["match_id"])]
    return took - started, summary["peak_rss_bytes"] - empty["peak_rss_bytes"], matches


def quality(matches, pairs):
    """Precision: of those judged copies, those truly as similar to their match. Recall: of those as similar to a kept one, those
    judged copies."""
    kept = {number for number, near in enumerate(matches) if not near}
    judged = right = copies = found = 0
    for number, near in enumerate(matches):
        true = pairs.get(number, ())
        if near:
            judged += 1
            right += any(match in true for match in near)
        if any(match in kept for match in true):
            copies += 1
            found += bool(near)
    return right / max(1, judged), found / max(1, copies)


def truth(path):
    """The documents that each is similar to, by their numbers, and whether these are all of them."""
    exact = path.with_suffix(".pairs").exists()
    pairs = {}
    for line in path.with_suffix(".pairs" if exact else ".planted").open(encoding="utf-8"):
        a, b = map(int, line.split())
        pairs.setdefault(b, []).append(a)
    return pairs, exact


def compare(program, path, rounds, most):
    texts = [json.loads(line)["text"] for line in path.open(encoding="utf-8")]
    pairs, exact = truth(path)
    contenders = [
        ("unecho dedup", lambda: run_unecho(program, path)),
        (f"gaoya {version('gaoya')}", lambda: apart(judge_gaoya, texts, most)),
        (f"rensa {version('rensa')}", lambda: apart(judge_rensa, texts, most)),
        (f"datasketch {version('datasketch')}", lambda: apart(judge_datasketch, texts, most)),
    ]
    best = [None] * len(contenders)
    for round_ in range(rounds):
        for i, (name, run) in enumerate(contenders):
            print(f"\r\x1b[K{path.stem}: round {round_ + 1} of {rounds}, {name}", end="", file=sys.stderr)
            done = run()
            if best[i] is None or done[0] < best[i][0]:
                best[i] = done
    print(file=sys.stderr)
    size = sum(len(text.encode()) for text in texts) / len(texts)
    for (name, _), (took, memory, matches) in zip(contenders, best):
        precision, recall = quality(matches, pairs)
        kept = sum(not near for near in matches)
        rate, theirs = len(matches) / took, len(best[1][2]) / best[1][0]
        print(
            f"| {path.stem}, {len(matches):,} of {size / 1000:.2f} kB | {name} | {rate:,.0f} | {rate / theirs:.2f} "
            f"| {format(precision, '.3f') if exact else ''} | {recall:.3f} | {memory / kept / 1000:.1f} |",
            flush=True,
        )


def main():
    program, directory, rounds, most = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
    print("| corpus | | documents a second of processor time | times gaoya | precision | recall | kB a kept document |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: |")
    for path in sorted(directory.glob("*.jsonl")):
        compare(program, path, rounds, most)


if __name__ == "__main__":
    main()
