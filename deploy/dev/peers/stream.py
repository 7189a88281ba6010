"""Judges corpora with unecho dedup, gaoya, rensa, datasketch, text-dedup and datatrove, side by side. `run.sh stream` starts it.

Each contender has one core, shingles of three words and the threshold 0.8. unecho and the three libraries take one document after
another: one that is so similar to a kept one is removed. The libraries have 18 bands of 7 slots, and compare what these find by
their own estimate; unecho has the bands that it plans itself, and compares exactly. text-dedup and datatrove cluster whole files,
see programs.py.

They take turns, each in a process of its own, and the least processor time of all rounds counts, without what it takes to start a
process: for unecho, text-dedup and datatrove with reading the file, for the libraries of their loop over texts in memory. One
that takes more than half a minute has no second round. Memory is the peak of the largest process above that of a run with nothing
to do; for the libraries it is what their index came to.

All are judged by the same measure, which sees only what was kept and what was removed. True pairs are those of the exact join of
the corpora, or in large ones the copies that were planted (see deploy/dev/bench/corpora):

- A removed document was removed rightly if it is as similar as 0.8 to a kept one, or a chain of true pairs leads to a kept one.
  So whoever clusters may keep any document of a chain.
- A kept document was missed if it is as similar as 0.8 to an earlier one that was kept too.
- Precision: of the removed documents, those removed rightly. Recall: of those removed rightly or missed, the former.

A peer that takes longer than a bound of processor time ends there; what a library has judged until then counts, and a program has
no figures, as has one that cannot be installed.
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

import programs

THRESHOLD, WORDS, BANDS, ROWS = 0.8, 3, 18, 7
SLOW = 30  # seconds of processor time after which a contender has no further round in a corpus
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
    """What a contender comes to, in a process of its own: seconds of processor time, bytes, and whether each document was
    removed. It ends after most seconds."""
    read, write = os.pipe()
    if os.fork() == 0:
        before, began = resident(), time.process_time()
        removed, index = [], None
        for near, index in judge(texts):
            removed.append(bool(near))
            if len(removed) % 256 == 0 and time.process_time() - began > most:
                break
        took = time.process_time() - began
        with os.fdopen(write, "w") as out:
            json.dump([took, resident() - before, removed], out)
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
    removed = [False] * summary["documents"]
    for line in copies.open(encoding="utf-8"):
        removed[int(json.loads(line)["id"])] = True
    return took - started, summary["peak_rss_bytes"] - empty["peak_rss_bytes"], removed


def quality(removed, pairs):
    """Precision and recall of what was removed; see above."""
    near = [[] for _ in removed]
    for b, others in pairs.items():
        if b < len(removed):
            near[b].extend(others)
            for a in others:
                near[a].append(b)
    reached, chain = set(), [n for n, gone in enumerate(removed) if not gone]
    missed = sum(any(not removed[a] for a in near[n] if a < n) for n in chain)
    while chain:
        more = [a for a in near[chain.pop()] if removed[a] and a not in reached]
        reached.update(more)
        chain.extend(more)
    right = len(reached)
    return right / max(1, sum(removed)), right / max(1, right + missed)


def truth(path):
    """The documents that each is similar to, by their numbers, and whether these are all of them."""
    exact = path.with_suffix(".pairs").exists()
    pairs = {}
    for line in path.with_suffix(".pairs" if exact else ".planted").open(encoding="utf-8"):
        a, b = map(int, line.split())
        pairs.setdefault(b, []).append(a)
    return pairs, exact


def compare(program, path, rounds, most, peers):
    texts = [json.loads(line)["text"] for line in path.open(encoding="utf-8")]
    pairs, exact = truth(path)
    contenders = [
        ("unecho dedup", lambda: run_unecho(program, path)),
        (f"gaoya {version('gaoya')}", lambda: apart(judge_gaoya, texts, most)),
        (f"rensa {version('rensa')}", lambda: apart(judge_rensa, texts, most)),
        (f"datasketch {version('datasketch')}", lambda: apart(judge_datasketch, texts, most)),
        *((peer.label(), lambda peer=peer: peer.run(path, len(texts), most)) for peer in peers),
    ]
    best, why = [None] * len(contenders), {}
    for round_ in range(rounds):
        for i, (name, run) in enumerate(contenders):
            if i in why or best[i] and best[i][0] > SLOW:
                continue
            print(f"\r\x1b[K{path.stem}: round {round_ + 1} of {rounds}, {name}", end="", file=sys.stderr)
            try:
                done = run()
            except programs.NotMeasured as reason:
                why[i] = reason
                continue
            if best[i] is None or done[0] < best[i][0]:
                best[i] = done
    print(file=sys.stderr)
    size = sum(len(text.encode()) for text in texts) / len(texts)
    theirs = len(best[1][2]) / best[1][0]
    for i, (name, _) in enumerate(contenders):
        row = f"| {path.stem}, {len(texts):,} of {size / 1000:.2f} kB | {name} |"
        if best[i] is None:
            print(f"{row} not measured: {why[i]} | | | | |", flush=True)
            continue
        took, memory, removed = best[i]
        precision, recall = quality(removed, pairs)
        rate, kept = len(removed) / took, removed.count(False)
        print(
            f"{row} {rate:,.0f} | {rate / theirs:.{2 if rate > theirs / 10 else 3}f} "
            f"| {format(precision, '.3f') if exact else ''} | {recall:.3f} | {memory / kept / 1000:.1f} |",
            flush=True,
        )


def main():
    program, directory, environments = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]).resolve()
    rounds, most = int(sys.argv[4]), float(sys.argv[5])
    peers = [programs.text_dedup(environments), programs.datatrove(environments)]
    print("| corpus | | documents a second of processor time | times gaoya | precision | recall | kB a kept document |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: |")
    for path in sorted(directory.glob("*.jsonl")):
        compare(program, path, rounds, most, peers)


if __name__ == "__main__":
    main()
