package bill

// Total is what all of it costs.
func Total(names []string) int {
	sum := 0
	for _, name := range names {
		sum += price(name)
	}
	return sum
}

// First is the first line.
func First() (string, int) {
	return "größer als ☕ 𝒙", price("tea")
}

var wrong string = Total(nil)
