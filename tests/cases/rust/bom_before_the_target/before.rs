fn a() {
	one();
}
