package shapes

type (
	// Point is a place.
	Point struct {
		X, Y int
		List[Point]
	}

	// Area can be measured.
	Area interface {
		// Measure measures.
		Measure() (float64)
	}
)

var (
	// Unit is one.
	Unit = Point{X: 1, Y: 1}

	// separator parts two.
	separator = ','
)

func (p *Point) Name(v any) (name string) {
	switch v := v.(type) {
	case int, (string):
		name = "number"
		// A number has no more to say.
	// It may be a point.
	case *Point:
		name = "point"
	}
retry:
	for i := range 3 {
		if i > 1 { break retry }
	}
	return name
}
