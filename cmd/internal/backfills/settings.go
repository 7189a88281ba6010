package backfills

import (
	"fmt"
	"slices"
	"strings"

	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/backfill"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/stop"
)

// Reader reads the configuration, with settings that outrank everything in it.
type Reader func(sets []string) (config.Config, error)

// settings returns the configuration of the job, and its name. It is read twice, because the name and the outputs
// follow from the topics and the group that the file may name.
func (f *Flags) settings(read Reader) (c config.Config, name string, err error) {
	outputs := defaultOutputs("", nil)
	outputs.verdicts, outputs.clusters = "", "" // only the configuration says whether there are any
	over := f.outputSets(outputs)
	topics := f.Topics
	if len(f.Files) > 0 {
		topics = []string{backfill.FilesOf(f.Name)}
	}
	read = f.only(read, topics)
	if f.Into != "" {
		return f.intoSettings(read, f.outputSets(outputNames{}))
	}
	over = append(over, "group="+backfill.GroupOf(""), "duplicates.remember.clock="+eventClock)
	c, err = read(over)
	if err != nil {
		return c, "", err
	}
	if document.Open(c.Sources) {
		return c, "", errPattern()
	}
	topics = document.Named(c.Sources)
	name, err = f.jobName(topics)
	if err != nil {
		return c, "", err
	}
	outputs = defaultOutputs(name, topics)
	if c.Sink.Verdicts.Topic == "" { // the configuration has none, and so has the job
		outputs.verdicts = ""
	}
	if c.Sink.Clusters.Topic == "" {
		outputs.clusters = ""
	}
	over = append(over, f.outputSets(outputs)...)
	over = append(over, "group="+backfill.GroupOf(name))
	c, err = read(over)
	c.Sink.DryRun = f.DryRun
	return c, name, err
}

// namesTopics tells whether the command line names the topics. A job over files may go on by its name alone.
func (f *Flags) namesTopics() bool {
	return len(f.Topics)+len(f.Files) > 0 || f.Name != "" && f.Into == ""
}

// only reads a configuration that has only these topics; without any it has its own. A job that goes on as no live group reads
// them from their start.
func (f *Flags) only(read Reader, topics []string) Reader {
	return func(sets []string) (c config.Config, err error) {
		if c, err = read(sets); err != nil {
			return c, err
		}
		named := topics
		if len(named)+len(document.Named(c.Sources)) == 0 && !document.Open(c.Sources) {
			named = []string{backfill.FilesOf(f.Name)}
		}
		if len(named) > 0 {
			err = c.Only(named)
		}
		for i := range c.Sources {
			if f.Into == "" {
				c.Sources[i].Start = document.DefaultSource().Start
			}
		}
		return c, err
	}
}

// errPattern refuses a range of topics that may come and go.
func errPattern() error {
	return &stop.Error{
		What:   "a backfill is of topics that are there when it begins, and the configuration has a pattern (sources.pattern)",
		Remedy: "name the topics with --topic; a group of --into can be given the pattern afterwards, by unecho routing apply",
	}
}

// jobName is the name that was given, or else that of the only topic.
func (f *Flags) jobName(topics []string) (string, error) {
	name := f.Name
	if name == "" && len(topics) > 1 {
		return "", exit.Usage(fmt.Errorf("a backfill of several topics (%s) has no name by itself; give it one with --name",
			strings.Join(topics, ", ")))
	}
	if name == "" {
		name = topics[0]
	}
	if err := backfill.CheckName(name); err != nil {
		return "", exit.Usage(err)
	}
	return name, nil
}

// outputNames are the topics of the outputs; one that is empty is not said.
type outputNames struct{ unique, duplicate, rejected, verdicts, clusters string }

// defaultOutputs are those of a job that names none. They are never those of the live group: readers of those would get
// what they had already.
func defaultOutputs(name string, topics []string) outputNames {
	if name != "" && slices.Contains(topics, backfill.FilesOf(name)) {
		return outputsBehind(name + ".backfill.")
	}
	prefix := "{source}.backfill."
	if len(topics) != 1 || topics[0] != name {
		prefix += name + "."
	}
	return outputsBehind(prefix)
}

func outputsBehind(prefix string) outputNames {
	return outputNames{prefix + "unique", prefix + "duplicate", prefix + "rejected", prefix + "verdicts", prefix + "clusters"}
}

// outputSets are settings for the outputs: those of the flags, or else these.
func (f *Flags) outputSets(or outputNames) (sets []string) {
	for _, o := range []struct{ key, flag, or string }{
		{"outputs.unique.topic", f.Unique, or.unique},
		{"outputs.duplicate.topic", f.Duplicate, or.duplicate},
		{"outputs.rejected.topic", f.Rejected, or.rejected},
		{"outputs.verdicts.topic", f.Verdicts, or.verdicts},
		{"outputs.clusters.topic", f.Clusters, or.clusters},
	} {
		switch {
		case o.flag != "":
			sets = append(sets, o.key+"="+o.flag)
		case o.or != "":
			sets = append(sets, o.key+"="+o.or)
		}
	}
	if f.Duplicate != "" {
		sets = append(sets, "outputs.duplicate.drop=false")
	}
	return sets
}

// intoSettings returns the configuration of a job that goes on as a live group: as far as possible that of the file,
// for that group is to be started with it afterwards.
func (f *Flags) intoSettings(read Reader, over []string) (config.Config, string, error) {
	c, err := read(over)
	if err != nil {
		return c, "", err
	}
	if document.Open(c.Sources) {
		return c, "", errPattern()
	}
	if c.Consumer.Group != f.Into {
		others, named := []string{"--unique", "--duplicate", "--rejected"}, f.Unique != "" && f.Rejected != "" && (f.Duplicate != "" || c.Sink.Duplicate.Drop)
		if c.Sink.Verdicts.Topic != "" {
			others, named = append(others, "--verdicts"), named && f.Verdicts != ""
		}
		if c.Sink.Clusters.Topic != "" {
			others, named = append(others, "--clusters"), named && f.Clusters != ""
		}
		if !named {
			return c, "", &stop.Error{
				What: fmt.Sprintf("the outputs in the configuration are those of group %s, and readers of them would get "+
					"everything again from %s", c.Consumer.Group, f.Into),
				Remedy: fmt.Sprintf("name others with %s and %s, or write a configuration with group: %s",
					strings.Join(others[:len(others)-1], ", "), others[len(others)-1], f.Into),
			}
		}
		over = append(over, "group="+f.Into)
		if c, err = read(over); err != nil {
			return c, "", err
		}
	}
	if c.Judge.Duplicates.Remember.Clock != eventClock {
		return c, "", &stop.Error{
			What: fmt.Sprintf("a group that goes on from a backfill measures age by the documents' own times, and "+
				"duplicates.remember.clock is %s", c.Judge.Duplicates.Remember.Clock),
			Remedy: "set duplicates.remember.clock: event in the configuration, by which the group is started later, too",
		}
	}
	if strings.HasPrefix(f.Into, backfill.Prefix) {
		return c, "", exit.Usage(fmt.Errorf("--into %s: names that begin with %s are those of backfills; choose another",
			f.Into, backfill.Prefix))
	}
	return c, f.Into, nil
}
