package sums

import "testing"

type pair struct{ left, right int }

var origin = struct{ x, y int }{0, 0}

func TestSums(t *testing.T) {
	rows := []struct {
		name string
		in   pair
	}{
		{"none", pair{0, 0}},
	}
	fixed := [1]struct{ out int }{{0}}
	counted := [...]struct{ out int }{{0}}
	named := map[string]struct{ out int }{"none": {0}}
	for _, row := range rows {
		_ = row.name
	}
	_, _, _ = fixed, counted, named
}
