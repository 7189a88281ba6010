// Package snapshots describes stored snapshots to people and to scripts: as a line in a listing, in detail, and by the
// state that a snapshot carries.
package snapshots
