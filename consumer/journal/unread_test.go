package journal

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/consumer/unpack/unpacktest"
	"github.com/unecho/unecho/index/setting"
)

// A follower has room for the batches of members: of as many records as one may buffer, and as large as a batch may be.
func TestRoomForWhatMembersAppend(t *testing.T) {
	for _, most := range []setting.Bytes{
		4 * setting.KiB, setting.MiB, 6 * setting.MiB, 12 * setting.MiB,
		64 * setting.MiB,
	} {
		p := DefaultParams()
		p.MaxEntryBytes = most
		size := max(p.MaxRecordBytes(), 1<<20)/mostBuffered - 10 // less the framing of a record
		batch, err := unpacktest.Zeros(mostBuffered, size, kgo.CodecZstd)
		if err != nil {
			t.Fatal(err)
		}
		response := kmsg.NewFetchResponseTopicPartition()
		response.RecordBatches = batch
		u := NewUnpacker(p)
		got, _ := kgo.ProcessFetchPartition(kgo.ProcessFetchPartitionOpts{}, &response, u, nil)
		if got.Err != nil || len(got.Records) != mostBuffered {
			t.Fatalf("with entries of %v: %d records, %v", most, len(got.Records), got.Err)
		}
		if _, withheld := u.Withheld(got.Records[0]); withheld {
			t.Errorf("with entries of %v: no room for %d records of %d bytes", most, mostBuffered, size)
		}
	}
}
