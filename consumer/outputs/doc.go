// Package outputs knows the topics that documents are forwarded to: what they must be, and which timestamps they take.
//
//	Wants   what a start and each assignment have made of them
//	Times   the timestamps that they take, as they were read last; one for a process
//	Clock   the present by the brokers, and what would be refused at that time; one for each replica
package outputs
