package a

func f(n int) error {
	if n == 0 {
		return fmt.Errorf("no number")
	}
	if n == 1 {
		return fmt.Errorf("number %d", n)
	}
	return fmt.Errorf("100%")
}
