// Package takeover has a session take over the partitions that the group gives it: it does what protocol.Takeover asks for,
// for all of them at once, and tells the loop where each is to be read from.
//
//	Takeovers   what the client calls back: way is made, partitions are given and taken away
//	outputs     the topics that are written are made fit for them
//	steps       what each protocol.Takeover asks for, the earliest first
//	adviser     what people are told of it, and what ends the process
package takeover
