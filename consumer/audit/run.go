package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/consumer/unpack"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/naive"
	"github.com/unecho/unecho/index/snapshot"
)

// Inputs say what is audited.
type Inputs struct {
	Options []kgo.Opt // how the cluster is reached; nothing about topics or groups
	Sources []string  // source topics
	Journal string
	// Outputs returns the output topics of a source topic. Duplicate is empty if duplicates are dropped.
	Outputs func(source string) (unique, duplicate, rejected string)
	// Verdicts returns the topic of the verdicts on a source topic, or "" if there is none.
	Verdicts func(source string) string
	// Clusters returns the topic of the clusters of a source topic's copies, or "" if there is none.
	Clusters func(source string) string
	// Untaken are those of Sources that nobody has taken up: they have no outputs. See the function of that name.
	Untaken []string
	Params  index.Params
	// MaxBatchBytes is what one batch of a source may take in memory, and JournalParams say how large a batch of the journal may be. The audit
	// reads no batch that members could not read.
	MaxBatchBytes int
	JournalParams journal.Params
	Settings      []byte // canonical text of all settings that decide verdicts
	Index         string // the name in unecho-index
	// Group is the group whose committed offsets say which source records must be in the outputs; empty: all must.
	Group string
	// Owner is the group whose journal it is. Records of other groups change nothing. If it is empty, the records of all
	// groups count.
	Owner string
	// AcceptSkipped says that whoever set the group's offsets beyond records meant it: they are counted, and no more.
	AcceptSkipped bool
	// ProducerTime says that the journal carries the appender's time, as a copy of one does.
	ProducerTime bool
	// Snapshots opens the store whose snapshot begins the replay if the journal's head is trimmed. Run closes the store.
	// nil: there is none.
	Snapshots func(context.Context) (snapshot.Store, error)

	Memory    int            // bytes for sorting the facts; 0: DefaultMemory
	Directory string         // of the temporary file; empty: the system's default
	Findings  int            // how many findings of each kind are printed; 0: DefaultFindings
	Progress  func(Progress) // called from the goroutine that called Run; nil: not called

	// Restoring is told of a snapshot before it is restored. Memory must hold its documents: see TwinBytes. It may be nil.
	Restoring func(snapshot.Info)
}

// Defaults of Inputs, and the bounds of Memory.
const (
	DefaultMemory   = 64 << 20
	DefaultFindings = 20
	leastMemory     = 64 << 10
	mostMemory      = 4 << 30 // positions in it have 32 bits
)

const defaultBatch = 32 << 20

// TwinBytes is what the twin takes in memory for a document of the window, about, beside its evidence (BenchmarkMemory in
// package naive). No file takes it over: the twin is to be simple.
const TwinBytes = 2500

// Run audits what is there when it is called, whether members are at work or not. Every source record that their group
// has committed by then must be in the outputs, and everything in the outputs must be right. Without a group every
// source record must be in the outputs, so that such an audit belongs after the members have caught up. Run waits for
// transactions that are open when it looks at a topic's end.
//
// Its memory is the sum of Memory, of what Kafka clients fetch ahead, and of the twin's window. The window takes TwinBytes
// and the evidence for each document that is remembered at one time. So the memory does not grow with the topics, but a
// window that members keep in files may be too large for it. Where there are topics of clusters it grows with originals:
// see the package's Facts. The facts about all records go to a temporary file, some 200 bytes for a
// document. An error says that the audit could not be done; it never says what the audit found.
func Run(ctx context.Context, in Inputs) (report Report, err error) {
	for range overtakenTries {
		if report, err = once(ctx, in); !errors.Is(err, ErrOvertaken) {
			break
		}
	}
	return report, err
}

// overtakenTries is how often an audit begins before it gives up because members trim the journal faster than it reads.
const overtakenTries = 3

func once(ctx context.Context, in Inputs) (report Report, err error) {
	client, err := kgo.NewClient(in.Options...)
	if err != nil {
		return Report{}, fmt.Errorf("audit: %w", err)
	}
	defer client.Close()
	batch := cmp.Or(in.MaxBatchBytes, defaultBatch)
	memory := min(max(cmp.Or(in.Memory, DefaultMemory), leastMemory), mostMemory)
	a := &audit{
		in: in, client: client, admin: kadm.NewClient(client), interrupted: func() error { return context.Cause(ctx) },
		sorter:  newSorter(in.Directory, memory),
		streams: map[entry.PartitionName]*stream{}, bySource: map[entry.Source]*stream{}, roles: map[string]roles{},
		verdicts: map[string]bool{},
		tracks:   map[track][]reach{},
		unpacker: unpack.New(unpack.Limits{Batch: batch, Held: 2 * batch}),
		journal:  journal.Reader{Owner: in.Owner, ProducerTime: in.ProducerTime},
		settings: valuesOf(in.Settings),
		table:    table(), known: headerNames(),
		numbers: map[entry.PartitionName]int{}, report: Report{most: cmp.Or(in.Findings, DefaultFindings)},
	}
	a.clusters = newClusters(a)
	defer func() {
		if err = errors.Join(err, a.sorter.close()); err != nil {
			report, err = Report{}, fmt.Errorf("audit: %w", err)
		}
	}()
	a.report.Untaken = in.Untaken
	err = a.run(ctx)
	return a.report, err
}

type audit struct {
	in          Inputs
	client      *kgo.Client
	admin       *kadm.Client // through the client
	interrupted func() error
	twin        *naive.Twin
	unpacker    *unpack.Unpacker // of sources and outputs
	journal     journal.Reader
	journalID   [16]byte
	sources     []*stream                       // by number
	streams     map[entry.PartitionName]*stream // by the source topic's name
	bySource    map[entry.Source]*stream        // the same, by its UUID
	roles       map[string]roles                // of output topics
	verdicts    map[string]bool                 // topics of verdicts
	clusters    *clusters                       // records of the topics of clusters
	places      []entry.PartitionName           // partitions of outputs, by number
	numbers     map[entry.PartitionName]int
	tracks      map[track][]reach
	sorter      *sorter
	table       []row          // our headers
	known       []string       // their names
	settings    map[string]any // that decide verdicts, by their keys
	noted       uint64         // verdicts
	routed      uint32         // number of the routing in force
	startsKnown bool           // a routing says where new sources begin
	latest      bool           // or some of them elsewhere than at their starts
	algorithm   string         // what unecho-algorithm says
	read        int64          // source records
	scratch     []byte
	report      Report
}

// roles says which verdicts a topic takes: it may take more than one, and from several sources.
type roles struct{ unique, duplicate, rejected bool }

// run reads the ends of the topics in the reverse of the order in which members write them. So a record that is written
// meanwhile is no finding: the part of the journal that is read has an output's verdict, and the part of the source has
// its source record.
func (a *audit) run(ctx context.Context) error {
	owed, err := a.due(ctx)
	if err != nil {
		return err
	}
	outputs, err := a.ends(ctx, slices.Concat(a.outputs(), a.sides(a.in.Verdicts, a.verdicts), a.sides(a.in.Clusters, a.clusters.topics)))
	if err != nil {
		return err
	}
	decisions, err := a.ends(ctx, []string{a.in.Journal})
	if err != nil {
		return err
	}
	known, err := a.ends(ctx, a.in.Sources)
	if err != nil {
		return err
	}
	if err := a.open(ctx, owed); err != nil {
		return err
	}
	if err := a.replay(ctx, decisions); err != nil {
		return err
	}
	a.number(outputs)
	a.trimmed(outputs)
	if err := a.each(ctx, StageSource, known, a.unpacker, a.source); err != nil {
		return err
	}
	if err := a.each(ctx, StageOutputs, outputs, a.unpacker, a.output); err != nil {
		return err
	}
	if err := a.compare(owed); err != nil {
		return err
	}
	return a.clusters.compacted(ctx, outputs)
}

// number numbers the partitions of the outputs in a fixed order, so that two audits of the same topics spell out the
// same findings.
func (a *audit) number(outputs topic.Range) {
	a.places = slices.SortedFunc(maps.Keys(outputs), entry.PartitionName.Compare)
	for i, p := range a.places {
		a.numbers[p] = i
	}
}

// outputs lists the output topics and remembers their roles.
func (a *audit) outputs() []string {
	var topics []string
	add := func(name string, set func(*roles)) {
		r, ok := a.roles[name]
		if !ok {
			topics = append(topics, name)
		}
		set(&r)
		a.roles[name] = r
	}
	for _, source := range a.taken() {
		unique, duplicate, rejected := a.in.Outputs(source)
		add(unique, func(r *roles) { r.unique = true })
		if duplicate != "" { // else duplicates are dropped
			add(duplicate, func(r *roles) { r.duplicate = true })
		}
		add(rejected, func(r *roles) { r.rejected = true })
	}
	return topics
}

// open makes a stream of each source partition.
func (a *audit) open(ctx context.Context, owed topic.Range) error {
	details, err := a.admin.ListTopics(ctx, append(slices.Clone(a.in.Sources), a.in.Journal)...)
	if err != nil {
		return fmt.Errorf("describe topics: %w", err)
	}
	a.journalID = details[a.in.Journal].ID
	for _, p := range slices.SortedFunc(maps.Keys(owed), entry.PartitionName.Compare) {
		source := entry.Source{Topic: details[p.Topic].ID, Partition: p.Partition}
		s := &stream{PartitionName: p, number: uint32(len(a.sources)), first: owed[p].From, goes: a.audited(p.Topic)}
		a.sources = append(a.sources, s)
		a.streams[p], a.bySource[source] = s, s
	}
	return nil
}
