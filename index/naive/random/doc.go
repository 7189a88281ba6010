// Package random generates journals: seeded histories of legal and illegal records that exercise every rule of the
// state machine. The same seed gives the same history.
//
// A history knows roughly what a session would know (which epoch and base it last wrote), and mostly appends what a
// session could append. Sometimes it appends what a zombie, a wrong clock, a person with Kafka's tools or a foreign
// program would. It applies nothing: the effect of a record is for the state machines under test to decide.
//
//	settings │ reposition p0 │ run p0 ● ● ◌ │ run p0 again │ run p1, old epoch │ forget │ reposition p0, back │ ...
//
// Texts are short, belong to few families, and are edited in known steps, so that similarities are often exactly at,
// just above and just below the threshold.
package random
