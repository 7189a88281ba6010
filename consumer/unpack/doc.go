// Package unpack decompresses the record batches that Kafka clients fetch, and bounds the memory that they take.
//
// A compressed batch of 100 kB may hold a gibibyte. An uncompressed one of 1 MiB may hold 100,000 records, of which a
// client makes 20 MiB. The cost of a batch is the memory that its records will take (see Cost), and one of three things
// becomes of it:
//
//	it costs no more than Limits.Batch   the client gets its records
//	it costs more                        the client gets a record in the place of each, without key, value and headers.
//	                                     That record says how long they were: see Withheld. Only the part that is being
//	                                     read is unpacked; of snappy, a block of up to 32 MiB.
//	not even those would fit, or it      the client gets no record of it, reports a *kgo.ErrDecompressTooLarge with the
//	cannot be read                       offsets, and leaves that partition alone
//
// The first two outcomes depend only on the batch and on Limits.Batch, so that all members find the same. Limits.Held
// bounds what a client holds unpacked of all its batches. It decides no outcome: a batch that finds no room is fetched
// again later (ErrLater). No batch waits for ever:
//
//   - What is unpacked, and not given back by Done, is with the client, was handed out, or was dropped by the client, as
//     that of a paused partition is. The client's hooks report what it has, and Polled what it handed out. What it
//     dropped is forgotten after two polls. See account.
//   - After a batch found no room, none is unpacked until all of that is given back. The client hands out what it has
//     in the order it came, so that this takes a number of polls, and no batch is unpacked meanwhile.
//   - Then the batch that has waited longest goes first. See turns.
//
// A client asks for decompression of compressed batches only. So its connections mark the uncompressed ones as
// compressed with a codec that does not exist (see mark), and these come here too. They are not copied: their bytes
// stay where they were fetched to, and Held counts only what their records take in addition to their own bytes.
//
// Uncompressed messages as Kafka wrote them before version 0.11 are not counted. A client makes at most eight times
// their bytes of them.
package unpack
