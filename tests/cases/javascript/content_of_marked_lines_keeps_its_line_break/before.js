function f() {
	tree();
    leaf();
}
