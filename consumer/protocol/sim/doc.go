// Package sim simulates members of a consumer group over a Kafka that is only a model, to find histories that break
// the design's sections 4 and 5. What it tries is real: the replica of package index with its capture and restore,
// the decisions of package protocol, and as their judge the naive twin. What it makes up is everything between them:
// a journal whose appends are late, lost or repeated, a group whose members are killed, replaced and forgotten,
// transactions whose outcome is unknown and whose markers are late, people who set offsets, outputs that refuse.
//
//	choices ──▶ World.step ──┬─ session    polls, judges, forwards, as package session does  ── protocol
//	  (of a seed)            ├─ member     applies the journal, captures, restores, dies      ── index
//	                         ├─ files      writes, reads and heals segments and blocks, as member ── index/files
//	                         ├─ feeder     reads, merges, appends, as package feed does     ── protocol/feeding
//	                         ├─ kafka      lands appends, ends transactions, moves partitions
//	                         └─ person     sets, deletes and loses offsets
//	                              │
//	                              ▼
//	                         checks: once, the journal's verdict, equal replicas, true bases, an end to all waiting
//
// Everything but a restore runs in one goroutine, and a history is a function of its choices: a seed finds it again.
package sim
