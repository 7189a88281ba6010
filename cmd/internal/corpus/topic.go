package corpus

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/topic"
)

// TopicReader makes documents of records as the service does.
type TopicReader struct {
	reader *document.Reader
	buffer []byte
}

// NewTopicReader builds a reader that reads documents from records as these sources do, whatever their conditions say.
func NewTopicReader(sources []document.Source) (*TopicReader, error) {
	sources = slices.Clone(sources)
	for i := range sources {
		sources[i].Reading.When = nil
	}
	reader, err := document.NewSources(sources)
	return &TopicReader{reader: reader}, err
}

// Read returns the document of a record. Its slices are valid until the next call.
func (r *TopicReader) Read(ctx context.Context, record *topic.Record) (document.Document, *document.Rejection, error) {
	read, bad, err := r.reader.Read(ctx, document.Input{
		Key: record.Key, Value: record.Value, Headers: record.Headers, Topic: record.Topic, Partition: record.Partition,
	}, r.buffer)
	if err == nil && bad == nil {
		r.buffer = read.Buffer
		if read.Empty {
			bad = r.reader.EmptyRejection(record.Topic)
		}
	}
	return read, bad, err
}

// CoordinatesOf returns TOPIC/PARTITION/OFFSET.
func CoordinatesOf(r *topic.Record) string {
	return fmt.Sprintf("%s/%d/%d", r.Topic, r.Partition, r.Offset)
}

// Coordinates parses TOPIC/PARTITION/OFFSET, if TOPIC is a possible name of a topic.
func Coordinates(arg string) (name string, partition int32, offset int64, ok bool) {
	parts := strings.Split(arg, "/")
	if len(parts) != 3 || parts[0] == "" || slices.ContainsFunc([]rune(parts[0]), noTopicRune) {
		return "", 0, 0, false
	}
	number, err := strconv.ParseUint(parts[1], 10, 31)
	if err != nil {
		return "", 0, 0, false
	}
	at, err := strconv.ParseUint(parts[2], 10, 63)
	return parts[0], int32(number), int64(at), err == nil
}

// noTopicRune says whether no topic's name may contain a character.
func noTopicRune(r rune) bool {
	letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	return !letter && (r < '0' || r > '9') && !strings.ContainsRune("._-", r)
}
