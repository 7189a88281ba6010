package sim_test

// requestMutants break what is said of idempotency keys (design 4, rule 19, decision 66), in the code that the service
// runs.
var requestMutants = []mutant{
	{
		rule: "the key goes into the journal", file: "consumer/protocol/judge.go",
		old: "if !a.Requests {", new: "if a.Requests {",
	},
	{
		rule: "what is sent again is not judged again", file: "index/requests.go",
		old: "if first == nil {", new: "if first == nil || first.copies > 0 {",
	},
	{
		rule: "requests are in the snapshot", file: "index/capture.go",
		old: "requests: r.requests.capture(), ", new: "requests: requests{}, ",
	},
	{
		rule: "a request whose document fell is forgotten", file: "index/reposition.go",
		old: "return q.source == number && q.offset >= from", new: "return q.source == number && q.offset > from",
	},
	{
		rule: "a request whose document was refused is forgotten", file: "index/forget.go",
		old: "	r.requests.forget(rec.Target)\n", new: "",
	},
}
