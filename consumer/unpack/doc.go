// Package unpack decompresses the record batches that Kafka clients fetch, and bounds what they take in memory.
//
// A compressed batch of 100 kB may hold a gibibyte, and an uncompressed one of 1 MiB 100,000 records, of which a client makes 20 MiB.
// What a batch costs is counted as its records will lie in memory (see Cost), and three things may become of it:
//
//	it costs no more than Bounds.Batch   the client gets its records
//	it costs more                        the client gets a record in the place of each, without key, value and headers. It says
//	                                     how long they were: see Withheld. Nothing is unpacked but what is being looked at.
//	not even those would fit, or it      the client gets no record of it, reports a *kgo.ErrDecompressTooLarge with the offsets,
//	cannot be read                       and leaves that partition alone
//
// The first two depend on the batch and on Bounds.Batch alone, so that all members find the same. Bounds.Held bounds what a
// client holds unpacked of all its batches. It decides nothing: what finds no room is fetched again later (ErrLater). No batch waits for ever:
//
//   - What is unpacked, and not given back by Done, is with the client or was dropped by it. Of the first the client's hooks tell;
//     the second is forgotten after two polls. See account.
//   - After a batch found no room, none is unpacked until all of that is given back. The client hands out what it has in the order
//     it came, so that this takes a number of polls, and no batch is unpacked meanwhile.
//   - Then the batch that has waited longest goes first. See turns.
//
// A client has only compressed batches unpacked. So its connections mark the uncompressed ones as compressed in a way that there
// is not (see mark), and these come here too. They are not copied: their bytes stay where they were fetched to, and of them Held
// counts only what records take beside their own bytes.
//
// Not counted are uncompressed messages as Kafka wrote them before version 0.11. A client makes at most eight times their bytes of them.
package unpack
