package a

func f() {
	if x {
		a()
	}
}
