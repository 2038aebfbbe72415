package till

func count(n int) {
	if n > 1 {
		log(n)
	}
}
