package routing

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/unecho/unecho/consumer/protocol"
)

// The keys of a duty, beside those of every routing. A group that never had to do with a succession has none of them:
//
//	"succession.duty": "fill", "succession.group": "news-filter", "succession.here": "news-5.journal 7c0f1e4a..."
//	"succession.from news/0": "7c0f1e4a... 120000", "succession.fill unique/0": "b2d0c3aa... 90000"
//	"succession.dropped": "news.unique news.first"
const (
	keyPrefix  = "succession."
	keyDuty    = keyPrefix + "duty"
	keyGroup   = keyPrefix + "group"
	keyJournal = keyPrefix + "journal"
	keyHere    = keyPrefix + "here"
	keyFormer  = keyPrefix + "former"
	keyFormers = keyPrefix + "former journal"
	keyVoid    = keyPrefix + "void"
	keyReady   = keyPrefix + "ready"
	keyDropped = keyPrefix + "dropped"
	keyBegins  = keyPrefix + "from "
	keyFill    = keyPrefix + "fill "
	keySeen    = keyPrefix + "seen "
)

// words are those of the kinds of duty, by their number.
func words() []string {
	return []string{protocol.Forwards: "forward", protocol.Fills: "fill", protocol.Retired: "retired"}
}

// Incarnation names a journal: the topic, and which topic of that name.
func Incarnation(topic string, id [16]byte) string { return fmt.Sprintf("%s %x", topic, id) }

// WithDuty returns the text of a routing with another duty. What the text says of a duty before does not matter.
func WithDuty(text []byte, d *protocol.Duty) []byte {
	plain := Plain(text)
	if d.Kind == protocol.Forwards && len(d.From)+len(d.Fill)+len(d.Dropped) == 0 {
		return plain
	}
	values := decode(plain)
	values[keyDuty], values[keyGroup], values[keyHere] = words()[d.Kind], d.Other, d.OwnJournal
	if d.OtherJournal != "" {
		values[keyJournal] = d.OtherJournal
	}
	if d.PreviousGroup != "" {
		values[keyFormer], values[keyFormers] = d.PreviousGroup, d.PreviousJournal
	}
	if d.Void > 0 {
		values[keyVoid] = fmt.Sprint(d.Void)
	}
	if len(d.Dropped) > 0 {
		values[keyDropped] = strings.Join(d.Dropped, " ")
	}
	if d.Ready > 0 {
		values[keyReady] = fmt.Sprint(d.Ready)
	}
	for key, at := range boundaries(d) {
		for _, b := range *at {
			values[key+b.Name().String()] = fmt.Sprintf("%x %d", b.Source.Topic, b.Offset)
		}
	}
	return encode(values)
}

// boundaries are those of a duty, by their keys.
func boundaries(d *protocol.Duty) map[string]*[]protocol.Boundary {
	return map[string]*[]protocol.Boundary{keyBegins: &d.From, keyFill: &d.Fill, keySeen: &d.Seen}
}

// Plain returns the text of a routing without what it says of a duty: what a configuration has of it.
func Plain(text []byte) []byte {
	if !bytes.Contains(text, []byte(`"`+keyPrefix)) {
		return text
	}
	values := decode(text)
	for key := range values {
		if strings.HasPrefix(key, keyPrefix) {
			delete(values, key)
		}
	}
	return encode(values)
}

// DutyOf returns the duty that a routing gives its group.
func DutyOf(text []byte) (d protocol.Duty, err error) {
	if !bytes.Contains(text, []byte(`"`+keyPrefix)) {
		return d, nil
	}
	values := map[string]any{}
	if err := json.Unmarshal(text, &values); err != nil {
		return d, fmt.Errorf("read routing: %w", err)
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		said, ok := values[key].(string)
		if strings.HasPrefix(key, keyPrefix) && (!ok || !readDuty(&d, key, said)) {
			return d, fmt.Errorf("read routing: %s is %v, which this version of unecho does not know: upgrade this program", key,
				values[key])
		}
	}
	return d, nil
}

// readDuty reads one key. It returns false if it does not know what is said.
func readDuty(d *protocol.Duty, key, said string) (ok bool) {
	switch key {
	case keyDuty:
		at := slices.Index(words(), said)
		d.Kind = protocol.DutyKind(at)
		return at >= 0
	case keyGroup:
		d.Other = said
	case keyJournal:
		d.OtherJournal = said
	case keyHere:
		d.OwnJournal = said
	case keyFormer:
		d.PreviousGroup = said
	case keyFormers:
		d.PreviousJournal = said
	case keyVoid:
		_, err := fmt.Sscan(said, &d.Void)
		return err == nil
	case keyDropped:
		d.Dropped = strings.Fields(said)
	case keyReady:
		_, err := fmt.Sscan(said, &d.Ready)
		return err == nil
	default:
		for prefix, at := range boundaries(d) {
			if place, is := strings.CutPrefix(key, prefix); is {
				b, err := readBoundary(place, said)
				*at = append(*at, b)
				return err == nil
			}
		}
		return false
	}
	return true
}

func readBoundary(place, said string) (b protocol.Boundary, err error) {
	b.Topic, b.Source, err = readPartition(place, said, " %d", &b.Offset)
	return b, err
}

func decode(text []byte) map[string]any {
	values := map[string]any{}
	if err := json.Unmarshal(text, &values); err != nil {
		panic("routing: our own text does not decode: " + err.Error()) // our bug
	}
	return values
}

func encode(values map[string]any) []byte {
	text, err := json.Marshal(values) // its keys are sorted
	if err != nil {
		panic("routing: strings and lists do not encode: " + err.Error()) // our bug
	}
	return text
}
