// Package random makes up journals: seeded histories of records, legal and illegal, that lead the state machine through
// every rule it has. The same seed gives the same history.
//
// A history knows roughly what a session would know (which epoch and base it last wrote), and mostly appends what a session
// could append; now and then it appends what a zombie, a confused clock, a person with Kafka's tools or a foreign program
// would. It does not apply anything: what a record does is for the state machines under test to say.
//
//	settings │ reposition p0 │ run p0 ● ● ◌ │ run p0 again │ run p1, old epoch │ forget │ reposition p0, back │ ...
//
// Texts are short, of few families, and edited by known steps, so that similarities fall on, just above and just below the
// threshold, and often.
package random
