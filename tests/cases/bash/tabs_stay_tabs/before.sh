f() {
	if true; then
		a
	fi
}
