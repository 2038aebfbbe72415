package a

func f() { g(); h() }
