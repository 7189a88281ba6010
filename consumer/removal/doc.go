// Package removal finds documents that a group remembers, and lets every member forget them. It restores a replica of
// its own from a snapshot, follows the journal to its end, and appends what the members apply (design 4, rule 11).
package removal
