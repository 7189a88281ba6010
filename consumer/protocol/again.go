package protocol

// mostUnread is how often in a row a member appends what nobody can read, before it is the one to be suspected.
const mostUnread = 8

// AppendAgain says whether to append once more what was appended, and read back as nothing, so many times: a record is damaged
// on its way now and then, and else waited for in vain (design 4, rule 5).
func AppendAgain(times int) bool { return times <= mostUnread }
