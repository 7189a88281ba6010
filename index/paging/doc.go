// Package paging applies records to a replica whose old documents lie in a directory. Members use it, and verbs that judge
// files.
//
// A Pager reads what the replica wants: ahead, for many entries at once, and in its turn what that has left out. Keep has
// documents lie in files, for who has the replica alone. A member does that beside judging.
package paging
