function h() {
	if (ready()) {
		go();
	}
}
