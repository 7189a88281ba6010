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

// setting names the directory.
const setting = "duplicates.remember.directory"

// Owner says whose documents a directory has.
type Owner struct {
	Group       string
	Journal     [16]byte // UUID of the journal's topic
	Fingerprint uint64   // of the settings that decide verdicts
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
}

func (o Owner) ownership() ownership {
	return ownership{format, o.Group, hex.EncodeToString(o.Journal[:]), strconv.FormatUint(o.Fingerprint, 16)}
}

func (o Owner) encode() ([]byte, error) { return json.Marshal(o.ownership()) }

const (
	nameAnother = "name another directory in " + setting
	empty       = "delete what is in it, which snapshots have too, or " + nameAnother
)

// check returns why a directory with this owner file is not o's.
func (o Owner) check(data []byte) error {
	var there ownership
	err := json.Unmarshal(data, &there)
	here := o.ownership()
	switch {
	case there.Format > format:
		return fmt.Errorf("%w: it has format %d, this one reads up to %d; upgrade this member, or %s",
			snapshot.ErrNewerFormat, there.Format, format, nameAnother)
	case err != nil || there.Format != format:
		return fmt.Errorf("its file %s is damaged, or not of unecho: %s", ownerName, empty)
	case there.Group != here.Group:
		return fmt.Errorf("it is of group %q, this member of group %q: %s", there.Group, here.Group, nameAnother)
	case there.Journal != here.Journal:
		return fmt.Errorf("it is of the journal with topic id %s, this group's has %s: %s", there.Journal, here.Journal, empty)
	case there.Fingerprint != here.Fingerprint:
		return fmt.Errorf("it is of settings with fingerprint %s, this group's have %s: %s", there.Fingerprint,
			here.Fingerprint, empty)
	}
	return nil
}
