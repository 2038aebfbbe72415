class One {
	void close() {
		log('closed');
	}
}

class Two {
	void close() {
		log('closed');
	}
}
