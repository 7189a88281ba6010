// Package replay judges a journal once more, for those who only look, such as the audit: Start has the oldest snapshot
// that the journal still continues. It is no member: it joins no group, and appends nothing.
package replay
