package setting

import "testing"

func TestNearest(t *testing.T) {
	keys := []string{"kafka", "kafka.brokers", "kafka.sasl.username", "ops", "ops.listen", "text", "window.age", "window.max_bytes", "log.level"}
	for key, want := range map[string]string{
		"kafak":            "kafka",
		"kafka.broker":     "kafka.brokers",
		"kafka.sasl.user":  "kafka.sasl.username",
		"kafka.sasl.usr":   "",
		"kafka.Brokers":    "kafka.brokers",
		"window.maxBytes":  "window.max_bytes",
		"window.max-bytes": "window.max_bytes",
		"age":              "window.age",
		"log.age":          "window.age",
		"window.a":         "",
		"port":             "",
		"ttl":              "",
		"user":             "kafka.sasl.username",
		"":                 "",
	} {
		if got, ok := Nearest(key, keys); got != want || ok != (want != "") {
			t.Errorf("Nearest(%q) is %q, %v; want %q", key, got, ok, want)
		}
	}
}
