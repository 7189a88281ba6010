// Bench measures documents per second from end to end: unecho against a bare transactional copy of the same topic,
// which is what exactly-once forwarding costs without a decision.
//
//	make bench                                        both brokers, both ways to verify
//	make bench ARGS='-broker kafka -verify estimate'  one of each
//	make bench-rivals                                 beside Kafka Streams too, on Kafka, with estimate
//
// A source topic is filled once. Then the copy and unecho take turns on it, each run with a group, a journal and output
// topics of its own, which are deleted after it. Both have the same client library, the same options and the same
// number of sessions, and both are measured alike: from the first batch of the source that arrives until the group has
// committed all documents. The copy first tries some sizes of batches and fetches and a linger time, and keeps the
// best.
//
// Real Kafka is the one that UNECHO_TEST_KAFKA names, as `make bench` starts it; kfake runs within this process. The
// broker shares the machine. So the ratio says what unecho costs in addition to the copy, and the absolute figures say
// little about other machines. Where others are busy on the machine as well, the processor time of a document says more
// than the documents per second. It is reported for this process and, if `make bench` started the broker, for the
// broker's.
//
//	make bench-latency                              at 50, 500 and 5,000 documents/s, verify: estimate
//	make bench-latency ARGS='-rates 500 -verify jaccard'
//
// With -rates Bench measures the latency instead: the time from handing a document to a producer that does not linger,
// until a read-committed reader of the outputs has it. Each run has a source of its own, which is empty when it begins.
// Documents come when the group is stable and each session has partitions. Those of the first two seconds (-warm) do not count,
// nor does one before them in each partition. A document that does not arrive, or arrives twice, is an error. The copy
// has unecho's sizes and no linger time. Producer and reader run within this process, beside either.
//
// With -rivals a Kafka Streams application that removes exact copies takes its turn too, once with its defaults and once
// tuned: package rivals has it. Rounds take the place of pairs. Its time begins with the first batch of the source that
// its consumer returns, and ends with the transaction that completes the outputs. After that, outside of the time, both
// outputs are read and counted: the unique topic must hold each content once, and both together all documents. Its
// processes live as long as the benchmark, and the round that warms up lets Java compile them.
package main
