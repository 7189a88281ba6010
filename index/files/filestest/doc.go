// Package filestest holds a directory of segments to its rules, in any file system. It has a file system in memory that
// knows what was synced, and one whose calls fail.
package filestest
