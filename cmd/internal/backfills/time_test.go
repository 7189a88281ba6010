package backfills

import (
	"testing"
	"time"
)

// TestFieldTime: the field with the time is named as those with the text are.
func TestFieldTime(t *testing.T) {
	t.Parallel()
	const object = `{"meta.at":"2024-01-02","meta":{"at":"2025-01-02T03:04:05Z"},"at":1700000000}`
	for field, want := range map[string]time.Time{
		`meta\.at`: time.Date(2024, 1, 2, 0, 0, 0, 0, time.UTC), `meta.at`: time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC),
		`at`: time.Unix(1700000000, 0), `no`: {}, `meta.`: {},
	} {
		if got := fieldTime([]byte(object), field); !got.Equal(want) {
			t.Errorf("the time in the field %s is %s; want %s", field, got, want)
		}
	}
}
