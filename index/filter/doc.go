// Package filter finds near-duplicates among the texts of another Go program, without Kafka, a server or a file. It
// judges text after text, and says of each whether one like it is remembered:
//
//	f, err := filter.New(filter.DefaultParams())
//	...
//	v, err := f.Judge(filter.Document{ID: "b", Text: text, Time: seen})
//	...
//	if !v.Unique() {
//		fmt.Println("b is a copy of", v.Of.ID, v.Method, v.Similarity)
//	}
//
// # What it promises
//
//   - Its verdicts are those of a service with the same settings that reads the same texts in the same order at the same
//     times, because the same code decides. Defaults are a service's. deploy/docs/configuration.md says what each
//     setting does.
//   - It sees no clock and draws nothing: the same calls give the same verdicts. It does no I/O and writes no log, and no
//     goroutine outlives a call.
//   - Its memory is bounded, as duplicates.remember says: by age, by number, by bytes. Settings without any bound are
//     refused. Only duplicates.remember.memory bounds bytes, and age needs a Time in each Document. Bytes count what is
//     kept of documents and what finds them; a window of 1 GiB takes at most 5 % more.
//     Beside it are the text at hand, some MiB if it is no longer than 64 KiB, and a snapshot while it is made. A Verdict
//     keeps nothing of the filter alive.
//   - A snapshot has the whole state. A filter that Open makes of it goes on as if it had never stopped. What is damaged
//     is refused, and so is what was made under other settings: nothing is judged by half a memory. A snapshot does not
//     outlive every upgrade of this module: Open then says ErrVersion.
//   - A document that is judged again is a copy of itself, whatever its ID. If passing it on failed, go on with the
//     verdict at hand.
//   - After an error of Judge or Snapshot the filter is as it was before the call.
//   - Only one goroutine at a time may use a Filter. Filters share nothing, so each tenant or shard may have its own.
//     Bounds are of each filter; Document.Scope separates tenants within one.
package filter
