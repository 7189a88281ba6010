// Package succession has one group take over from another: it does what protocol.Handover asks for. All that is
// decided stands in the two journals, so one that was killed is gone on with by the same command.
package succession
