// Package localdir keeps snapshots in a directory: of one machine, or shared by all members over a network file system that
// honours flock (NFSv4 does).
//
//	<directory>/<index, escaped>/
//	  segments/<first two of the name>/<name>          sealed, immutable
//	  manifests/<offset, 20 digits>-<topic>-<epoch>    sealed; topic is the journal's UUID in hex
//	  leases/<name, escaped>.lock                      held by flock; its text says who holds it
//	  tmp/                                             being written; each file is locked by its writer
//	  lock                                             the collector's lock, held by flock
//
// A file is written in tmp, synced, read back (from the disk, where the system drops its cache when asked), renamed to its
// place, and the directory synced: it is there whole or not at all. What a
// dead writer left in tmp is removed at the next Open. Modification times, which the file system assigns, are the
// store's clock. Directories are made with mode 0700, files with 0600. It needs a Unix.
package localdir
