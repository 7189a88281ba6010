// Package feeding is what a feeder does next, apart from how it reads and appends (design 4, rule 15). Package feed
// does it, and package sim drives the same with a simulated world.
//
//	StateOf   how far a replica says that the ranges of a plan are fed
//	Merge     what was read of each range, in whatever pieces, becomes records in the order of places
//	Ledger    what was appended and not yet found in the replica, and whether there is room for more
//
// The merge is pure: the same ranges give the same sequence of entries, however they are read. So a feeder can go on
// where another one was, and two feeders at a time do no harm.
package feeding
