package files

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/unecho/unecho/index/snapshot"
)

// format is the format of a directory: of its layout, its owner file, and its segments' pages.
const format = 1

// Owner says whose documents a directory has: a member's, or those of a run over files.
type Owner struct {
	Group       string
	Journal     [16]byte // UUID of the journal's topic; 0: it is not known, and any is right
	Fingerprint uint64   // of the settings that decide verdicts; 0: likewise

	Run string // over files: how it was called, with what it goes on from; then there is nothing else
}

// setting names the directory.
func (o Owner) setting() string {
	if o.Run != "" {
		return "--directory"
	}
	return "duplicates.remember.directory"
}

// PathOf returns the directory of a group below the one that the setting names.
func PathOf(directory, group string) string {
	return filepath.Join(directory, snapshot.FileName(group))
}

// ownership is the owner file. Later formats have at least the number.
type ownership struct {
	Format      int    `json:"format"`
	Group       string `json:"group"`
	Journal     string `json:"journal"`
	Fingerprint string `json:"fingerprint"`
	Run         string `json:"run,omitempty"`
	Made        bool   `json:"made,omitempty"` // the directory was made for that run
}

func (o Owner) ownership() ownership {
	return ownership{
		Format: format, Group: o.Group, Journal: hex.EncodeToString(o.Journal[:]), Fingerprint: strconv.FormatUint(o.Fingerprint, 16),
		Run: o.Run,
	}
}

// who names the owner.
func (o ownership) who() string {
	if o.Run != "" {
		return "a run of `" + o.Run + "`"
	}
	return fmt.Sprintf("a member of group %q", o.Group)
}

func (o Owner) encode(made bool) ([]byte, error) {
	is := o.ownership()
	is.Made = made
	return json.Marshal(is)
}

// another is what to do where a directory is somebody else's.
func (o Owner) another() string { return "name another directory in " + o.setting() }

// check returns why a directory with this owner file is not o's, and whether it was made for the run that has it.
func (o Owner) check(data []byte) (made bool, err error) {
	var there ownership
	err = json.Unmarshal(data, &there)
	here, another := o.ownership(), o.another()
	empty := "delete what is in it, which snapshots have too, or " + another
	if o.Run != "" {
		empty = "delete what is in it, or " + another
	}
	switch {
	case there.Format > format:
		return false, fmt.Errorf("%w: it has format %d, this one reads up to %d; upgrade this member, or %s",
			snapshot.ErrNewerFormat, there.Format, format, another)
	case err != nil || there.Format != format:
		return false, fmt.Errorf("its file %s is damaged, or not of unecho: %s", ownerName, empty)
	case there.Run != here.Run && there.Run != "":
		return false, fmt.Errorf("it is of %s: delete what is in it, or %s", there.who(), another)
	case there.Run != here.Run:
		return false, fmt.Errorf("it is of %s: %s", there.who(), another)
	case there.Group != here.Group:
		return false, fmt.Errorf("it is of group %q, this member of group %q: %s", there.Group, here.Group, another)
	case there.Journal != here.Journal && o.Journal != [16]byte{}:
		return false, fmt.Errorf("it is of the journal with topic id %s, this group's has %s: %s", there.Journal, here.Journal, empty)
	case there.Fingerprint != here.Fingerprint && o.Fingerprint != 0:
		return false, fmt.Errorf("it is of settings with fingerprint %s, this group's have %s: %s", there.Fingerprint,
			here.Fingerprint, empty)
	}
	return there.Made, nil
}
