// Package mail brings the loop of a session what others find out, in goroutines of their own: the client's callbacks, that
// partitions come and go, and they and whoever watches the journal, that a person is needed.
//
// A session has one Box. Whoever posts does not wait, and what the loop does with partitions that were taken away is cut
// short. The loop receives when it is between two steps, so it changes its state alone. An error that ends the process
// stays in the box, also while the session has no client.
package mail
