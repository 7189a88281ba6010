// Package routing is about where documents come from and where they go: the part of the configuration that says so,
// what the journal says, and how the routing is changed. Packages index and protocol define its effect on members.
//
//	{"--dry-run":false,"outputs.duplicate of news":"news.duplicate","outputs.rejected of news":"news.rejected",
//	 "outputs.unique of news":"news.unique","sources[0].start":"earliest","sources[0].topics":["news"]}
//
// With a pattern it has "sources[0].pattern":"blogs.*" and templates, such as "outputs.unique of {source}":"{source}.unique",
// for whatever topics the pattern brings.
//
// With outputs.verdicts it has "outputs.verdicts of news" as well. An empty topic of duplicates says that they are
// dropped.
package routing
