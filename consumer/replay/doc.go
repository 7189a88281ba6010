// Package replay judges a journal once more, for those who only look, such as the audit: it begins with nothing, or with
// the oldest snapshot that the journal still continues, and applies what follows.
//
// It calls its caller with each record and what that did. It is no member: it joins no group, and appends nothing.
package replay
