"""text-dedup and datatrove, each run as its users run it: the program, or the pipeline, over a file of JSON lines on the local
disk, on one core and without a network. Each has a virtual environment of its own, as their dependencies disagree.

Both have 18 bands of 7 slots in shingles of three words, and hash with xxHash. They compare no candidates: what shares a band is
one cluster, of which one document stays."""

import functools
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
MINHASH = "--column text --ngram 3 --min_length 1 --threshold 0.8 --num_perm 126 --b 18 --r 7 --hash_func xxh3 --num_proc 1"
KEPT = "import sys, datasets; print(*datasets.load_from_disk(sys.argv[1])['id'])"


class NotMeasured(Exception):
    """Why a program has no figures."""


class Program:
    """A program in a virtual environment; command returns its arguments, and kept the ids of the documents that it kept."""

    def __init__(self, name, environment, command, kept):
        self.name, self.python, self.command, self.kept = name, environment / "bin" / "python", command, kept
        self.scratch = environment.parent

    def label(self):
        if not self.python.exists():
            return self.name
        script = f"from importlib.metadata import version; print(version('{self.name}'))"
        return f"{self.name} {output(self.python, '-c', script).strip()}"

    @functools.cached_property
    def start(self):
        """What a run over a single document takes."""
        with tempfile.TemporaryDirectory(dir=self.scratch) as work:
            one = Path(work) / "one.jsonl"
            one.write_text(json.dumps({"id": "0", "text": "one document of a few words"}) + "\n", encoding="utf-8")
            runs = [self.once(one, 600)[:2] for _ in range(3)]
        return min(took for took, _ in runs), min(memory for _, memory in runs)

    def once(self, source, most):
        """Seconds of processor time, peak bytes and the ids of the kept documents of a run."""
        if not self.python.exists():
            raise NotMeasured("it cannot be installed here")
        with tempfile.TemporaryDirectory(dir=self.scratch) as work:
            out = Path(work) / "out"
            measure = [sys.executable, HERE / "measured.py", Path(work) / "usage", str(int(most)), self.python]
            offline = dict(os.environ, HF_HUB_OFFLINE="1", HF_HOME=work)
            run = [*measure, *self.command(source.resolve(), out)]
            done = subprocess.run(run, cwd=work, env=offline, check=False, capture_output=True, text=True)
            took, memory = json.loads((Path(work) / "usage").read_text(encoding="utf-8"))
            if done.returncode != 0:
                last = (done.stderr.strip().splitlines() or ["it says nothing"])[-1]
                raise NotMeasured(f"it ended after {took:.0f} s of processor time: {last.strip()}"[:160])
            return took, memory, {int(i) for i in self.kept(self.python, out)}

    def run(self, source, documents, most):
        """The same as of the other contenders: without what starting takes, and for each document whether it was removed."""
        took, memory, kept = self.once(source, most)
        return took - self.start[0], memory - self.start[1], [n not in kept for n in range(documents)]


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def text_dedup(environments):
    def command(source, out):
        files = ["--path", "json", "--data_files", source, "--split", "train", "--cache_dir", "cache", "--output", out]
        return ["-m", "text_dedup.minhash", *files, *MINHASH.split()]

    return Program(
        "text-dedup", environments / "text-dedup", command, lambda python, out: output(python, "-c", KEPT, out).split()
    )


def datatrove(environments):
    def kept(_, out):
        return [json.loads(line)["id"] for path in (out / "kept").iterdir() for line in path.open(encoding="utf-8")]

    return Program("datatrove", environments / "datatrove", lambda source, out: [HERE / "pipeline.py", source, out], kept)
