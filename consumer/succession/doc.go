// Package succession has one group take over from another, as `unecho takeover` asks for, or abandons that.
//
// What is to be done next, and when it is refused, protocol.Handover decides: this room asks Kafka and writes what that
// wants. All that is decided stands in the two journals, so one that was killed is gone on with by the same command. It
// judges and forwards no document. The members of both groups find their duty in their own journals.
package succession
