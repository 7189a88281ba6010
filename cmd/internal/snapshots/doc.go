// Package snapshots has what the verbs about stored snapshots do: it lists, shows, verifies, prunes, exports and
// imports them, and describes them to people and to scripts.
package snapshots
