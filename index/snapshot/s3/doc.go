// Package s3 keeps snapshots in a bucket of S3, or of a store that speaks like it.
//
// The objects of an index lie under the prefix and the index's name:
//
//	segments/NAME   a segment, named by its content
//	manifests/NAME  a published snapshot, named by its position
//	lock            the collector's lock
//	leases/NAME     a lease
//	probes/NAME     what a start tries the store by, and deletes
//
// The lock and the leases are objects that are written only if nobody has changed them since they were read (the headers
// If-None-Match and If-Match of a PUT). A store that ignores these headers is refused, because two members could hold one
// lease. All ages are by the store's clock: the Date of an answer less the object's Last-Modified.
package s3
