// Package verify reads snapshots of a store completely and says whether they can be restored. It checks checksums,
// documents, and whether the parts belong together. It writes nothing.
package verify
