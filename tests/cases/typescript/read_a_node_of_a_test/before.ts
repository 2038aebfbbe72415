interface A {
	one: string
	two(): void
}
interface Empty {}

enum None {}

class C {
	a = 1
	b?: string
}
describe('C', () => {
	it("is", () => {
		expect(new C().a).toBe(1)
	})
})
