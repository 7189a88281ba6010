// Package replay begins to judge a journal once more, for those who only look, such as the audit: with a snapshot that the
// journal still continues. They are no members: they join no group.
package replay
