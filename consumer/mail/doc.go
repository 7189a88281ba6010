// Package mail brings the loop of a session what others find out, in goroutines of their own: the client's callbacks, that
// partitions come and go, and they and whoever watches the journal, that a person is needed.
package mail
