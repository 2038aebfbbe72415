package web

import "testing"

func TestPut(t *testing.T) {
	t.Run("empty", func(t *testing.T) {
		check(t, 0)
	})
	t.Run(`one item`, func(t *testing.T) {
		check(t, 1)
		t.Run("again", func(t *testing.T) {
			check(t, 1)
		})
	})
}

var _ = Describe("Store", func() {
	It("puts", func() {
		check(nil, 2)
	})
})
