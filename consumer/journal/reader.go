package journal

import (
	"errors"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/index"
)

// Reader tells the group's records from strays. All who read a journal take it for that, members and audit alike.
type Reader struct {
	Owner        string // whose journal it is; empty: anybody's
	ProducerTime bool   // records may carry the appender's time

	decoder Decoder
}

// Read reads a record, which is valid until the next call. Its errors are ErrNewer, after which nobody may go on, and a
// *StrayError. The stamp is right in any case; it has no time where that is the producer's, so that no clock but the broker's
// moves ours.
func (rd *Reader) Read(r *kgo.Record) (index.Stamp, index.Record, error) {
	at := index.Stamp{Offset: r.Offset}
	if rd.timed(r) {
		at.LogAppendTime = r.Timestamp.UnixMilli()
	}
	rec, err := rd.read(r)
	var why *StrayError
	if errors.As(err, &why) {
		why.Offset = r.Offset
	}
	return at, rec, err
}

func (rd *Reader) read(r *kgo.Record) (index.Record, error) {
	if r.Attrs.IsControl() {
		return nil, stray(Marker, "the end of a transaction")
	}
	rec, err := rd.decoder.Decode(r.Value)
	if rd.Owner == "" || len(r.Key) == 0 || string(r.Key) == rd.Owner {
		return rec, err
	}
	return nil, &StrayError{Reason: Foreign, Owner: string(r.Key), Sign: Sign(rec), Err: foreign(r.Key)}
}

func (rd *Reader) timed(r *kgo.Record) bool {
	return rd.ProducerTime || r.Attrs.TimestampType() == 1
}

// Sign says that a record shows whose journal it is: a member writes such a record only into the journal of its own group.
func Sign(rec index.Record) bool {
	switch rec.(type) {
	case *index.Settings, *index.Mark, *index.Checkpoint, *index.Routing:
		return true
	}
	return false
}
