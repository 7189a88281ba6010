// Package broker is about reaching Kafka and nothing else: how a client connects (TLS, SASL), whether Kafka is there
// and lets us in, whether the topics are what the protocol needs.
//
//   - Options are the options that every Kafka client of the process shares.
//   - Ping says in one sentence why Kafka cannot be reached, and what to do about it.
//   - Topics reads topics, verifies or creates the journal and the outputs, and reports every mistake with the command
//     that mends it.
//
// Errors meant for people are of type *Fault: what happened, why, and what to do.
package broker
