// Package snapshots is what is told of stored snapshots, to people and to scripts: a line in a listing, the detail of
// one, and the state that one carries.
package snapshots
