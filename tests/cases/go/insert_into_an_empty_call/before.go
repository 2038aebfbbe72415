package a

func f() {
	g()
}
