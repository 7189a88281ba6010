// Package member is how the answers of a running member read at a terminal: results of lookups, copies that were found,
// and how the member stands. What comes from documents is made harmless to terminals.
package member
