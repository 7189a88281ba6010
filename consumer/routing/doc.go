// Package routing is about where documents come from and where they go: what of the configuration says so, what the journal
// says, and how that is changed. What it does to members stands in packages index and protocol.
//
//	{"sink.dry_run":false,"sink.duplicate of news":"news.duplicate","sink.rejected of news":"news.rejected",
//	 "sink.unique of news":"news.unique","source.start":"earliest","source.topics":["news"]}
package routing
