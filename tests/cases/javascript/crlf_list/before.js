class A {
	one() {
		return 1;
	}
}

function* gen() {}
const list = [
	first,
	second,
];
