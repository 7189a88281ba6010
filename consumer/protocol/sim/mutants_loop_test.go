package sim_test

// loopMutants break the order in which a member does what there is to do (design 5), in the code that the service runs.
var loopMutants = []mutant{
	{
		rule: "what is taken away is noted until the transaction ends", file: "consumer/protocol/holdings.go",
		old: "	h.revoked = h.revoked || len(names) > 0\n", new: "",
	},
	{
		rule: "what was taken away is not committed", file: "consumer/protocol/member.go",
		old: "m.batch.Produced(refused, m.revoked)", new: "m.batch.Produced(refused, false)",
	},
	{
		rule: "a commit ends where the batch does", file: "consumer/protocol/member.go",
		old: "NewGroup(m.batch.Groups, a, a.Base).End, a.Mode", new: "NewGroup(m.batch.Groups, a, a.Base).End + 1, a.Mode",
	},
	{
		rule: "what is given again replaces what was lost", file: "consumer/protocol/holdings.go",
		old: "	for _, a := range of {\n		h.named[a.Name()] = a\n	}\n", new: "	for _, a := range of {\n		if h.named[a.Name()] == nil {\n			h.named[a.Name()] = a\n		}\n	}\n",
	},
}
