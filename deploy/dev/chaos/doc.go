//go:build unix

// Chaos runs unecho as its users do: several processes on a Kafka of three brokers, and PostgreSQL, a directory or a
// bucket for snapshots. It breaks everything that can be broken. It waits until the journal is trimmed again, and then
// audits every document: was it lost, doubled, or judged differently?
//
//	make chaos                                      five minutes, a seed drawn and printed
//	make chaos ARGS='-seed 7 -runs 3 -minutes 10'   seeds 7, 8 and 9, ten minutes each
//	make chaos ARGS='-seed 7 -plan'                 what would be broken when, and no more
//	make soak                                       twenty minutes of load, a burst of 100 times as much, and
//	                                                nothing broken: is memory flat?
//
// The seed gives the schedule: what is broken, when, for how long, and how far each process's clock is off. The same
// seed gives the same schedule, but not the same interleaving. Each broker has a proxy through which members reach it,
// and which cuts, stalls and slows down connections. The audit, the load and the copy of the journal reach the brokers
// directly. The copy is needed because the members trim the journal.
//
// After the audit a count reads source and outputs batch by batch. It knows only what is promised: each document comes
// out once, with its own timestamp or in rejected with the true one in a header.
//
// Every other member keeps old documents in a directory.
//
// A member's clock is set off without a hook in the program. Its binary is built with another time.Now of the standard
// library (go build -overlay), which adds the value of a variable.
//
// After a finding the servers' data, the members' logs and the configuration are kept, and the report says where they
// are.
package main
