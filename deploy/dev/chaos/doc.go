//go:build unix

// Chaos runs unecho as its users do, several processes on a Kafka of three brokers and a PostgreSQL, breaks whatever
// can be broken, and then audits every document: lost, doubled, judged differently?
//
//	make chaos                                      five minutes, a seed drawn and printed
//	make chaos ARGS='-seed 7 -runs 3 -minutes 10'   seeds 7, 8 and 9, ten minutes each
//	make chaos ARGS='-seed 7 -plan'                 what would be broken when, and no more
//	make chaos ARGS='-takeover 5'                   how long documents wait: each kind of loss alone, five times
//	make soak                                       twenty minutes of load, a burst of 100 times as much, and nothing broken:
//	                                                is memory flat?
//
// The seed gives the schedule: what is broken, when, for how long, and how far each process's clock is off. The same
// seed is the same schedule, not the same interleaving. Members reach the brokers through a proxy each, which cuts,
// stalls and slows down; the audit, the load and a copy of the journal (the members trim the journal itself) reach them
// directly.
//
// A member's clock is set off without a hook in the program: its binary is built with the standard library's time.Now
// replaced (go build -overlay) by one that adds what a variable says.
//
// After a finding the servers' data, the members' logs and the configuration are kept, and the report says where.
package main
