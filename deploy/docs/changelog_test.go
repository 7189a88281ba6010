package docs

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The changelog keeps the rules of releasing.md.
func TestChangelog(t *testing.T) {
	for _, fault := range changelogFaults(read(t, "CHANGELOG.md")) {
		t.Error("CHANGELOG.md:", fault)
	}
}

func TestChangelogFaults(t *testing.T) {
	const good = "# Changelog\n\n## Unreleased\n\n### Fixed\n\n- a\n\n## 1.10.0 - 2026-11-23\n\n### Added\n\n- b\n\n### " +
		"Fixed\n\n- c\n\n" +
		"## 1.9.3 - 2026-10-01\n\n### Fixed\n\n- d\n"
	if faults := changelogFaults(good); len(faults) > 0 {
		t.Errorf("a good changelog has the faults %q", faults)
	}
	for _, c := range []struct{ from, to, want string }{
		{"1.10.0 -", "1.10 -", "is no version"},
		{"2026-11-23", "2026-13-23", "is no day"},
		{"2026-11-23", "2026-09-23", "is older"},
		{"1.10.0", "1.9.3", "is not above"},
		{"1.10.0", "1.2.0", "is not above"},
		{"### Added", "### New", "is none of"},
		{"### Added\n\n- b", "### Security\n\n- b", "stands in front"},
		{"- c", "c", "has no list"},
		{"### Fixed\n\n- d\n", "", "has no section"},
		{"## Unreleased\n\n### Fixed\n\n- a\n\n## 1.10.0 - 2026-11-23\n", "## 1.10.0 - 2026-11-23\n\n### Fixed\n\n- a\n\n## Unreleased\n", "is not above"},
	} {
		text := strings.Replace(good, c.from, c.to, 1)
		if faults := changelogFaults(text); !strings.Contains(strings.Join(faults, "\n"), c.want) {
			t.Errorf("%q for %q: found %q, not that something %s", c.to, c.from, faults, c.want)
		}
	}
}

// changelogFaults returns what is against the rules of releasing.md.
func changelogFaults(text string) (faults []string) {
	versions := strings.Split(text, "\n## ")[1:]
	if len(versions) == 0 {
		return []string{"it has no version"}
	}
	above := []int{1 << 30, 0, 0}
	day := "9999-12-31"
	for i, version := range versions {
		name, body, _ := strings.Cut(version, "\n")
		faults = append(faults, sectionFaults(name, body)...)
		if name == "Unreleased" && i == 0 {
			continue
		}
		m := regexp.MustCompile(`^(\d+)\.(\d+)\.(\d+) - (\S+)$`).FindStringSubmatch(name)
		if m == nil {
			faults = append(faults, fmt.Sprintf("%q is no version with a day, or is not above all others", name))
			continue
		}
		numbers := make([]int, 3)
		for j := range numbers {
			numbers[j], _ = strconv.Atoi(m[j+1]) // the expression leaves only digits
		}
		if slices.Compare(numbers, above) >= 0 {
			faults = append(faults, fmt.Sprintf("the version above %q is not above it", name))
		}
		if _, err := time.Parse(time.DateOnly, m[4]); err != nil {
			faults = append(faults, fmt.Sprintf("%q is no day", m[4]))
		}
		if m[4] > day {
			faults = append(faults, fmt.Sprintf("the version above %q is older", name))
		}
		above, day = numbers, m[4]
	}
	return faults
}

// sectionFaults are those of one version's changes.
func sectionFaults(version, body string) (faults []string) {
	kinds := []string{"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
	sections := strings.Split("\n"+body, "\n### ")[1:]
	if len(sections) == 0 {
		return []string{fmt.Sprintf("%q has no section", version)}
	}
	last := -1
	for _, section := range sections {
		kind, changes, _ := strings.Cut(section, "\n")
		at := slices.Index(kinds, kind)
		if at < 0 {
			faults = append(faults, fmt.Sprintf("%q: %q is none of %v", version, kind, kinds))
			continue
		}
		if at <= last {
			faults = append(faults, fmt.Sprintf("%q: %q stands in front of %q", version, kinds[last], kind))
		}
		if !strings.Contains("\n"+changes, "\n- ") {
			faults = append(faults, fmt.Sprintf("%q: %q has no list", version, kind))
		}
		last = max(last, at)
	}
	return faults
}
