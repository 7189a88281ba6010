package config

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/unecho/unecho/consumer"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/sink"
)

// What the rooms take by themselves is what follows from the default.
func TestRoomsKnowTheDefault(t *testing.T) {
	c := Default()
	c.spread()
	if !reflect.DeepEqual(c, Default()) || c.Advanced.MaxDocumentBytes != document.DefaultParams().MaxBytes ||
		c.Sink.MaxRecordBytes != sink.DefaultParams().MaxRecordBytes || c.Consumer.FetchBytes != consumer.DefaultParams().FetchBytes ||
		c.Consumer.MaxBatchBytes != consumer.DefaultParams().MaxBatchBytes ||
		c.Journal.MaxEntryBytes != journal.DefaultParams().MaxEntryBytes {
		t.Errorf("the defaults of the rooms are not those of advanced: %+v", c)
	}
}

// One size says what all others are, and each of them has room for the largest document.
func TestSizesFollow(t *testing.T) {
	const mib = setting.MiB
	for text, want := range map[string][5]setting.Bytes{
		"1":      {1, mib, mib / 4, 32 * mib, 16 * mib},
		"975KiB": {975 * setting.KiB, mib, 975 * setting.KiB, 32 * mib, 16 * mib},
		"1MiB":   {mib, mib, mib, 32 * mib, 16 * mib},
		"8MiB":   {8 * mib, 8 * mib, 8 * mib, 32 * mib, 16 * mib},
		"64MiB":  {64 * mib, 64 * mib, 64 * mib, 128 * mib, 128 * mib},
	} {
		c, err := Load("", nil, append([]string{"advanced.max_document_bytes=" + text}, least()...))
		got := [5]setting.Bytes{
			c.Readings()[0].Reading.MaxBytes, c.Sink.MaxRecordBytes, c.Journal.MaxEntryBytes, c.Consumer.MaxBatchBytes, c.Consumer.FetchBytes,
		}
		if err != nil || got != want {
			t.Errorf("of %s follow %v, error %v; want %v", text, got, err, want)
		}
		if back, err := FromSettings(c.Settings()); err != nil || back.Sink.MaxRecordBytes != want[1] {
			t.Errorf("read from the journal, of %s follows %v, error %v; want %v", text, back.Sink.MaxRecordBytes, err, want[1])
		}
	}
	for _, text := range []string{"0", "65MiB"} {
		_, err := Load("", nil, append([]string{"advanced.max_document_bytes=" + text}, least()...))
		if err == nil || !strings.Contains(err.Error(), "write 1 to 64MiB") {
			t.Errorf("%s: error %v, want the range", text, err)
		}
	}
}

// An entry keeps more of runs of characters than the text has bytes. It fits all the same, for each text that a service takes.
func TestEntryOfCharactersFits(t *testing.T) {
	const most = 300 * setting.KiB
	set := func(text string) []string {
		return append([]string{"duplicates.shingle=char:5", "duplicates.weighted=true", "advanced.max_document_bytes=" + text}, least()...)
	}
	c, err := Load("", nil, set(most.String()))
	if err != nil {
		t.Fatal(err)
	}
	signer, err := index.NewSigner(c.Judge)
	if err != nil {
		t.Fatal(err)
	}
	letters, r := make([]byte, most), rand.New(rand.NewPCG(1, 2))
	for i := range letters {
		letters[i] = byte('a' + r.IntN(26))
	}
	var e entry.Entry
	if !signer.Sign(&e, letters) || entry.Size(&e) < 2*len(letters) || entry.Size(&e) > int(c.Journal.MaxEntryBytes) {
		t.Errorf("the entry of %v takes %v, and %v fit", most, setting.Bytes(entry.Size(&e)), c.Journal.MaxEntryBytes)
	}
	if c, err = Load("", nil, set("16MiB")); err != nil || c.Journal.MaxEntryBytes != journal.MostEntryBytes {
		t.Errorf("entries of 16MiB may take %v, error %v", c.Journal.MaxEntryBytes, err)
	}
	if _, err = Load("", nil, set("17MiB")); err == nil || !strings.Contains(err.Error(), "write 16MiB or less") {
		t.Errorf("texts of 17MiB: error %v", err)
	}
}

// least is what a configuration must say.
func least() []string {
	return []string{"kafka.brokers=a:1", "sources.topics=t", "group=g", "snapshots.directory.path=d"}
}
