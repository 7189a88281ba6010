package corpus

import (
	"slices"
	"strings"
)

// LayoutFlags lists the flags of verbs that say how files become documents, and decide something in some formats only.
func LayoutFlags() []string {
	return []string{"fields", "id", "delimiter", "lenient-quotes"}
}

// Decides says whether such a flag decides something in a format.
func Decides(flag, format string) bool {
	switch flag {
	case "delimiter", "lenient-quotes":
		return format == CSV || format == Auto
	}
	return format != Lines && format != Text
}

// checkAsked returns a *MistakeError for a flag that was given and decides nothing in any of the files.
func (r *Reader) checkAsked() error {
	for _, flag := range r.params.Asked {
		if len(r.formats) > 0 && !slices.ContainsFunc(r.formats, func(format string) bool { return Decides(flag, format) }) {
			return &MistakeError{"--" + flag + " has no effect on these files, which were read as " + strings.Join(r.formats, " and ") +
				": leave it out, or name their --format"}
		}
	}
	return nil
}

// met notes the format of a file.
func (r *Reader) met(format string) {
	if !slices.Contains(r.formats, format) {
		r.formats = append(r.formats, format)
	}
}
