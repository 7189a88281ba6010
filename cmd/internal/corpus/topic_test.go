package corpus

import "testing"

func TestCoordinates(t *testing.T) {
	for arg, ok := range map[string]bool{
		"news/0/17": true, "a.b_c-d/12/0": true, "news/0": false, "news/0/17/1": false, "/0/1": false, "news/-1/2": false,
		"news/0/-2": false,
		"news/x/1":  false, "some text/1/2": false, "news/99999999999/1": false,
	} {
		if _, _, _, got := Coordinates(arg); got != ok {
			t.Errorf("Coordinates(%q) are coordinates: %t; want %t", arg, got, ok)
		}
	}
	if name, partition, offset, _ := Coordinates("news/3/17"); name != "news" || partition != 3 || offset != 17 {
		t.Errorf("Coordinates(news/3/17) are %s, %d, %d; want news, 3, 17", name, partition, offset)
	}
}
