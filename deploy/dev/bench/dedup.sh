#!/usr/bin/env bash
# Measures unecho dedup by itself on corpora whose truth is known: documents a second on one core and on all, processor
# time, and the most memory; and by eval, how much of the truth it finds. The corpora stay in .cache/corpora. Usage:
#   dedup.sh UNECHO [DOCUMENTS [FLAGS OF DEDUP...]]
set -euo pipefail
unecho=$1 documents=${2:-1000000}
shift $(($# > 1 ? 2 : 1))
corpora=.cache/corpora/$documents
if [[ ! -d $corpora ]]; then
  rm -rf "$corpora.half"
  "${GO:-go}" run ./deploy/dev/bench/corpora -into "$corpora.half" -documents "$documents"
  mv "$corpora.half" "$corpora"
fi
TIMEFORMAT='  processor time: %U s, and %S s of the system'
for corpus in "$corpora"/*.jsonl; do
  for cores in 1 "$(nproc)"; do
    echo "$(basename "$corpus"), $(stat -c %s "$corpus") bytes, GOMAXPROCS=$cores"
    time GOMAXPROCS=$cores "$unecho" dedup --unique /dev/null "$@" "$corpus"
  done
  truth=("${corpus%.jsonl}".p*) # pairs, or planted
  "$unecho" eval --pairs "${truth[0]}" "$corpus" | sed -n 1,2p
done
