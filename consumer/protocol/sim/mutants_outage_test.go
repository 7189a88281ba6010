package sim_test

// outageMutants break what is said of documents that are passed on while the journal is away (design 4, rule 18,
// decision 63), in the code that the service runs.
var outageMutants = []mutant{
	{
		rule: "a commit says from where on the journal has not heard", file: "consumer/protocol/live.go",
		old: "if a.Bypasses || a.HasUnjournaled() {", new: "if a.HasUnjournaled() {",
	},
	{
		rule: "what is owed is not announced", file: "consumer/protocol/assignment.go",
		old: "Epoch: a.Epoch, Base: a.Journaled()}", new: "Epoch: a.Epoch, Base: a.Base}",
	},
	{
		rule: "what is passed on is owed", file: "consumer/protocol/assignment.go",
		old: "if a.Bypasses || a.HasUnjournaled() {", new: "if a.HasUnjournaled() {",
	},
	{
		rule: "the next owner owes what was passed on", file: "consumer/protocol/decide.go",
		old: "Unjournaled: f.unjournaled(),", new: "",
	},
	{
		rule: "what is recorded is not forwarded", file: "consumer/protocol/batch.go",
		old: "case !missing && b.records:", new: "case !missing && b.records && b.Size == 0:",
	},
	{
		rule: "a verdict that is had is followed", file: "consumer/protocol/outage.go",
		old: "if !d.Judged && !d.Rejected && !d.Unchecked {\n\t\t\t\td.Bypassed", new: "if !d.Rejected {\n\t\t\t\td.Bypassed",
	},
	{
		rule: "with a verdict a refusal is tried again", file: "consumer/protocol/judge.go",
		old: "if d.Judged && a.refused[d.Entry.Offset].passed {", new: "if d.Judged && a.refused[d.Entry.Offset].passed && a.Epoch == 0 {",
	},
	{
		rule: "what was passed on is recorded before anything else is judged", file: "consumer/protocol/member.go",
		old: "if of := m.owing(); len(of) > 0 &&", new: "if of := m.owing(); len(of) > 99 &&",
	},
	{
		rule: "a recording that the journal does not take is taken again", file: "consumer/protocol/member.go",
		old: "		m.batch.wants = Done\n		return", new: "		m.batch.recorded()\n		return",
	},
	{
		rule: "a recording that was cut short begins again", file: "consumer/protocol/member.go",
		old: "m.rewinds = m.batch.records && !m.batch.inJournal", new: "m.rewinds = false",
	},
}
