// Package localdir keeps snapshots in a directory: of one machine, or shared by all members over a network file system
// that honours flock (NFSv4 does).
//
//	<directory>/<index, escaped>/
//	  segments/<first two of the name>/<name>          sealed, immutable
//	  manifests/<offset, 20 digits>-<topic>-<epoch>    sealed; topic is the journal's UUID in hex
//	  leases/<name, escaped>.lock                      held by flock; its text says who holds it
//	  tmp/                                             being written; each file is locked by its writer
//	  lock                                             the collector's lock, held by flock
//
// A file is written in tmp, synced, read back (from the disk, where the system drops its cache on request) and renamed
// to its place; then the directory is synced. So it is there completely or not at all. Files that a dead writer left in
// tmp are removed at the next Open. The store's clock is that of the file system, which assigns modification times.
// Directories are made with mode 0700, files with 0600.
package localdir
