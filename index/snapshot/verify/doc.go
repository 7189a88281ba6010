// Package verify reads snapshots of a store whole and says whether they can be restored: checksums, documents, and whether the parts
// belong together. It writes nothing.
package verify
