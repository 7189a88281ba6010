// Package removal finds documents that a group remembers, and lets every member forget them (design 4, rule 11).
//
// It finds documents by their ids or coordinates, and their copies if asked: in a member's replica while that goes on, or
// in one of its own, which it restores from a snapshot and which takes as much memory as a member, with or without files.
// What it appends to the journal the members apply. Topics are left as they are: documents that stand in outputs are not
// for it.
package removal
