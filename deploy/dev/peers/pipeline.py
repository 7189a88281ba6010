"""datatrove's MinHash pipeline over one file of JSON lines, after its own example, examples/minhash_deduplication.py.

It has one worker and no compression. Numbers and accents are compared as they are, as unecho does by default. The words are those
of spaCy's blank English tokenizer, which is datatrove's for English, and needs no data of its own.

Usage: pipeline.py FILE DIRECTORY: kept documents go to DIRECTORY/kept."""

import sys
from pathlib import Path

from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.dedup import MinhashDedupSignature
from datatrove.pipeline.dedup.minhash import MinhashConfig, MinhashDedupBuckets, MinhashDedupCluster, MinhashDedupFilter
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.writers.jsonl import JsonlWriter
from datatrove.utils.text import TextNormConfig
from datatrove.utils.typeshelper import Languages


def main():
    source, work = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    normal = TextNormConfig(norm_numbers=False, norm_unicode_diacritics=False)
    config = MinhashConfig(n_grams=3, num_buckets=18, hashes_per_bucket=7, norm_config=normal)

    def folder(name):
        return str(work / name)

    def read():
        return JsonlReader(str(source.parent), glob_pattern=source.name, compression=None)

    stages = [
        (1, [read(), MinhashDedupSignature(folder("signatures"), config, Languages.english)]),
        (config.num_buckets, [MinhashDedupBuckets(folder("signatures"), folder("buckets"), config=config)]),
        (1, [MinhashDedupCluster(folder("buckets"), folder("remove"), config=config)]),
        (1, [read(), MinhashDedupFilter(folder("remove")), JsonlWriter(folder("kept"), compression=None)]),
    ]
    for number, (tasks, steps) in enumerate(stages):
        LocalPipelineExecutor(steps, tasks=tasks, workers=1, logging_dir=folder(f"log-{number}")).run()


if __name__ == "__main__":
    main()
