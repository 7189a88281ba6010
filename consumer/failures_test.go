package consumer

import (
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// failing is a request that the service relies on, and what its failures lead to.
type failing struct {
	name  string
	key   kmsg.Key
	topic string
	old   bool // Kafka before 4: the client asks for each partition to be added to the transaction
	by    provoke
	fails []comes
}

// comes is what a failure leads to.
type comes struct {
	outcome string // one of those below, or what the process says when it ends before its supervisor restarts it
	done    bool   // the request takes effect, and its answer is an error or is lost
	errs    []*kerr.Error
}

const (
	goesOn  = "nobody notices"
	rebuilt = "sessions are built anew"
	unclear = "nobody notices, or sessions are built anew" // it depends on what else is under way
	cannot  = "cannot work"
)

// These take the place of an error in an answer: the connection breaks, or every coordinator and leader moves to
// another broker.
var (
	cut   = &kerr.Error{Message: "the connection breaks"}
	moves = &kerr.Error{Message: "coordinators and leaders move"}
)

type errs []*kerr.Error

func (e errs) and(more ...*kerr.Error) errs { return slices.Concat(e, more) }

func before(outcome string, e errs) comes { return comes{outcome, false, e} }
func after(outcome string, e errs) comes  { return comes{outcome, true, e} }

// These are Kafka's errors, grouped by their meaning.
var (
	moved  = errs{kerr.NotCoordinator, kerr.CoordinatorLoadInProgress, kerr.CoordinatorNotAvailable}
	fenced = errs{
		kerr.InvalidProducerEpoch, kerr.ProducerFenced, kerr.InvalidProducerIDMapping,
		kerr.InvalidTxnState,
	}
	leaderless    = errs{kerr.NotLeaderForPartition, kerr.KafkaStorageError, kerr.UnknownTopicOrPartition}
	unwritten     = leaderless.and(kerr.RequestTimedOut, kerr.NotEnoughReplicasAfterAppend, kerr.NotEnoughReplicas)
	gone          = errs{kerr.FencedInstanceID} // the group does not confirm this one; see TestOneNameTwice
	noTopic       = errs{kerr.TopicAuthorizationFailed}
	noGroup       = errs{kerr.GroupAuthorizationFailed}
	noTransaction = errs{kerr.TransactionalIDAuthorizationFailed}

	unknownError  = kerr.UnknownServerError
	abortable     = kerr.TransactionAbortable
	busy          = kerr.ConcurrentTransactions
	thrownOut     = kerr.UnknownMemberID
	oldGeneration = kerr.IllegalGeneration
)

// failures returns the table of faults. If a request only reads, it does not matter whether it took effect.
func failures() []failing {
	return slices.Concat(transactions(), beforeKafka4(), members(), positions(), readings())
}

// transactions returns the requests that append to the journal, or forward documents in a transaction.
func transactions() []failing {
	const journal, unique = "unecho.journal", "news.unique"
	return []failing{
		{"append", kmsg.Produce, journal, false, bySending, []comes{
			before(goesOn, unwritten.and(fenced...).and(unknownError, abortable, busy, kerr.OutOfOrderSequenceNumber, cut)),
			before(goesOn, errs{kerr.TopicAuthorizationFailed}), // for a moment: see TestJournalForbidden
			after(goesOn, unwritten.and(unknownError, kerr.InvalidProducerEpoch, kerr.OutOfOrderSequenceNumber, cut)),
		}},
		{"forward", kmsg.Produce, unique, false, bySending, []comes{
			before(goesOn, unwritten.and(busy, cut)), after(goesOn, unwritten.and(busy, cut)),
			before(rebuilt, fenced.and(unknownError, abortable)), after(rebuilt, fenced.and(unknownError, abortable)),
			before(cannot, slices.Concat(noTopic, noTransaction)),
		}},
		{"commit of offsets", kmsg.TxnOffsetCommit, "", false, bySending, []comes{
			before(goesOn, moved.and(busy)), after(goesOn, moved.and(busy)), before(unclear, errs{cut}),
			after(unclear, errs{cut}),
			before(unclear, errs{
				unknownError, abortable, thrownOut, oldGeneration, kerr.RebalanceInProgress,
				kerr.RequestTimedOut,
			}),
			after(unclear, errs{
				unknownError, abortable, thrownOut, oldGeneration, kerr.RebalanceInProgress,
				kerr.RequestTimedOut,
			}),
			before(rebuilt, fenced), after(rebuilt, fenced),
			before(rebuilt, gone), before(cannot, slices.Concat(noTopic, noGroup, noTransaction)),
		}},
		{"end of a transaction", kmsg.EndTxn, "", false, bySending, []comes{
			before(goesOn, moved.and(busy)), after(goesOn, moved.and(busy)), before(unclear, errs{cut}),
			after(unclear, errs{cut}),
			before(unclear, errs{unknownError}), after(rebuilt, errs{unknownError}),
			before(rebuilt, fenced.and(abortable)), after(rebuilt, fenced.and(abortable)),
			before(cannot, noTransaction),
		}},
		{"producer id", kmsg.InitProducerID, "", false, byStarting, []comes{
			before(goesOn, moved.and(busy)), after(goesOn, moved.and(busy)), before(goesOn, errs{cut}), after(goesOn, errs{cut}),
			before("fence unecho/m-s0", fenced.and(unknownError)), before("fence unecho/m-s0", noTransaction),
			after("fence unecho/m-s0", errs{unknownError}),
		}},
		{"open transactions", kmsg.ListTransactions, "", false, byStarting, []comes{
			before(goesOn, moved.and(unknownError, cut)), before(goesOn, noGroup), after(goesOn, errs{cut}),
		}},
	}
}

// beforeKafka4 returns the further requests of a transaction with older brokers.
func beforeKafka4() []failing {
	return []failing{
		{"add partitions", kmsg.AddPartitionsToTxn, "", true, bySending, []comes{
			before(goesOn, moved.and(busy)), after(goesOn, moved.and(busy)), before(unclear, errs{cut}),
			after(unclear, errs{cut}),
			before(rebuilt, fenced.and(unknownError)), after(rebuilt, fenced.and(unknownError)),
			before(unclear, errs{abortable}), after(unclear, errs{abortable}),
			before(cannot, slices.Concat(noTopic, noTransaction)),
		}},
		{"add offsets", kmsg.AddOffsetsToTxn, "", true, bySending, []comes{
			before(goesOn, moved.and(busy)), after(goesOn, moved.and(busy)), before(unclear, errs{cut}),
			after(unclear, errs{cut}),
			before(rebuilt, fenced), after(rebuilt, fenced),
			before(unclear, errs{unknownError, abortable}), after(unclear, errs{unknownError, abortable}),
			before(cannot, slices.Concat(noGroup, noTransaction)),
		}},
		{"commit of offsets, before Kafka 4", kmsg.TxnOffsetCommit, "", true, bySending, []comes{
			before(goesOn, moved.and(busy)), after(goesOn, moved.and(busy)), before(unclear, errs{cut}),
			after(unclear, errs{cut}),
			before(unclear, errs{unknownError, abortable}), after(unclear, errs{unknownError, abortable}),
			before(rebuilt, fenced), after(rebuilt, fenced),
		}},
		{"end of a transaction, before Kafka 4", kmsg.EndTxn, "", true, bySending, []comes{
			before(goesOn, moved.and(busy)), after(goesOn, moved.and(busy)), before(unclear, errs{cut}),
			after(unclear, errs{cut}),
			before(unclear, errs{unknownError}), after(rebuilt, errs{unknownError}),
			before(rebuilt, fenced.and(abortable)), after(rebuilt, fenced.and(abortable)),
		}},
	}
}

// members returns the requests by which a session takes part in the group.
func members() []failing {
	return []failing{
		{"find coordinator", kmsg.FindCoordinator, "", false, byStarting, []comes{
			before(goesOn, moved.and(cut)), after(goesOn, errs{cut}),
			before("describe group unecho", errs{unknownError}), before("describe group unecho", noTransaction),
		}},
		{"join", kmsg.JoinGroup, "", false, byStarting, []comes{
			before(goesOn, moved.and(thrownOut)), after(goesOn, moved.and(thrownOut)), before(unclear, errs{cut}),
			after(unclear, errs{cut}),
			before(rebuilt, errs{unknownError, kerr.GroupMaxSizeReached}), after(rebuilt, errs{unknownError}),
			before(rebuilt, gone), after(rebuilt, gone), before(cannot, noGroup),
		}},
		{"join again", kmsg.JoinGroup, "", false, byRevocation, []comes{
			before(unclear, errs{kerr.NotCoordinator, cut}), after(unclear, errs{thrownOut, cut}),
			before(rebuilt, errs{unknownError}), after(rebuilt, errs{unknownError}),
		}},
		{"sync", kmsg.SyncGroup, "", false, byStarting, []comes{
			before(goesOn, moved.and(kerr.RebalanceInProgress)), after(goesOn, moved.and(kerr.RebalanceInProgress)),
			before(unclear, errs{cut}), after(unclear, errs{cut}),
			before(rebuilt, errs{unknownError, oldGeneration, thrownOut}),
			after(rebuilt, errs{unknownError, oldGeneration, thrownOut}),
			before(rebuilt, gone), after(rebuilt, gone), before(cannot, noGroup),
		}},
		{"sync again", kmsg.SyncGroup, "", false, byRevocation, []comes{
			before(unclear, errs{kerr.RebalanceInProgress, cut}), after(unclear, errs{kerr.RebalanceInProgress, cut}),
			before(rebuilt, errs{oldGeneration}), after(rebuilt, errs{unknownError}),
		}},
		{"heartbeat", kmsg.Heartbeat, "", false, byWaiting, []comes{
			before(unclear, moved.and(kerr.RebalanceInProgress, cut)), after(unclear, errs{cut}),
			before(rebuilt, errs{unknownError, oldGeneration, thrownOut}),
			before(rebuilt, gone), before(cannot, noGroup),
		}},
		{"leave", kmsg.LeaveGroup, "", false, byLeaving, []comes{
			before(goesOn, moved.and(unknownError, thrownOut, cut)), after(goesOn, moved.and(unknownError, thrownOut, cut)),
		}},
	}
}

// positions returns the requests in the steps of an assignment.
func positions() []failing {
	return []failing{
		{"committed offsets", kmsg.OffsetFetch, "", false, byStarting, []comes{
			before(goesOn, errs{cut}), after(goesOn, errs{kerr.UnstableOffsetCommit, cut}),
			after(unclear, moved.and(unknownError, kerr.UnknownTopicOrPartition)), after(cannot, noGroup),
		}},
		{"commit of an epoch", kmsg.OffsetCommit, "", false, bySettingOffsets, []comes{
			before(unclear, moved.and(kerr.RebalanceInProgress, kerr.RequestTimedOut, cut)),
			after(unclear, moved.and(kerr.RebalanceInProgress, cut)),
			before(rebuilt, errs{unknownError, oldGeneration, thrownOut}),
			after(rebuilt, errs{unknownError, oldGeneration, thrownOut}),
			before(rebuilt, gone), after(rebuilt, gone), before(cannot, slices.Concat(noTopic, noGroup)),
		}},
	}
}

// readings returns the requests that only read.
func readings() []failing {
	const journal = "unecho.journal"
	return []failing{
		{"fetch of the source", kmsg.Fetch, "news", false, bySending, []comes{
			before(goesOn, leaderless.and(kerr.UnknownTopicID, cut)), after(goesOn, errs{cut}),
			before(rebuilt, errs{unknownError, kerr.OffsetOutOfRange}), before(cannot, noTopic),
		}},
		{"fetch of the journal", kmsg.Fetch, journal, false, bySending, []comes{
			before(goesOn, leaderless.and(kerr.UnknownTopicID, unknownError, cut)), after(goesOn, errs{cut}),
			before("this replica cannot go on", errs{kerr.OffsetOutOfRange}), before("follow unecho.journal", noTopic),
		}},
		{"bounds of the journal", kmsg.ListOffsets, journal, false, byStarting, []comes{
			before(goesOn, leaderless.and(cut)), after(goesOn, errs{cut}),
			before("list offsets of journal", noTopic.and(unknownError)),
		}},
		{"metadata", kmsg.Metadata, "news", false, byStarting, []comes{
			before(goesOn, errs{kerr.LeaderNotAvailable, cut}), after(goesOn, errs{cut}),
			before("cannot describe topic news", slices.Concat(noTopic, errs{unknownError})),
		}},
	}
}
