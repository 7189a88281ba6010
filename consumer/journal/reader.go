package journal

import (
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/index"
)

// Reader distinguishes the group's records from strays. All who read a journal, members and audit alike, use it for
// that.
type Reader struct {
	Owner        string // the group to which the journal belongs; empty: any
	ProducerTime bool   // records may carry the appender's time

	decoder Decoder
}

// Read reads a record, which is valid until the next call. Its errors are ErrVersion, after which the caller must stop
// reading the journal, and a *StrayError. The stamp is valid even then. It has no time if the time is the producer's,
// so that only the broker's clock moves ours.
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
	return nil, &StrayError{Reason: Foreign, Owner: string(r.Key), Sign: Sign(rec), Err: fmt.Errorf("it is of group %q", r.Key)}
}

func (rd *Reader) timed(r *kgo.Record) bool {
	return rd.ProducerTime || r.Attrs.TimestampType() == 1
}

// Sign says whether a record shows to which group the journal belongs: a member writes such a record only into the
// journal of its own group.
func Sign(rec index.Record) bool {
	switch rec.(type) {
	case *index.Settings, *index.Mark, *index.Checkpoint, *index.Routing:
		return true
	}
	return false
}
