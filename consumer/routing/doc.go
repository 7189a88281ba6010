// Package routing is about where documents come from and where they go: the part of the configuration that says so,
// what the journal says, and how the routing is changed. Packages index and protocol define its effect on members.
//
//	{"sink.dry_run":false,"sink.duplicate of news":"news.duplicate","sink.rejected of news":"news.rejected",
//	 "sink.unique of news":"news.unique","source.start":"earliest","source.topics":["news"]}
//
// With source.pattern it has "source.pattern":"blogs.*" and templates, such as "sink.unique of {source}":"{source}.unique",
// for whatever topics the pattern brings.
//
// With sink.metadata: topic it has "sink.verdicts of news" as well.
package routing
