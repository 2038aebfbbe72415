package a

// One is first.
func One() {
	println(`a
 b`)
}

type (
	A int // the a
	B string
)

type S struct {
	x int
}
