// Package embedded is about the broker in this process that takes the place of a Kafka: where it keeps its data, how a
// verb starts it, and how others find it.
package embedded
