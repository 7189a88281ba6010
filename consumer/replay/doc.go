// Package replay judges a journal once more, for those who only look: it begins with nothing, or with the oldest
// snapshot that the journal still continues, and applies what follows.
package replay
