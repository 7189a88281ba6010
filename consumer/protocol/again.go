package protocol

// mostUnread is how often in a row a member appends what nobody can read, before it is the one to be suspected.
const mostUnread = 8

// AppendAgain says whether to append something once more that was appended so many times in vain: nobody could read
// it. A record is damaged on its way now and then, and without another append its verdict never comes (design 4, rule
// 5).
func AppendAgain(times int) bool { return times <= mostUnread }
