const { add } = require("./add");

describe("add", () => {
  let calls = 0;

  beforeEach(() => {
    calls = 0;
  });

  it("adds two numbers", async () => {
    expect(add(1, 2)).toBe(3);
  });

  it.skip('adds "many"', function () {
    expect(add(1, 2, 3)).toBe(6);
  });

  test.each([
    [1, 2],
  ])(`adds %i to itself`, (a, sum) => {
    expect(add(a, a)).toBe(sum);
  });

  describe.only("of strings", () => {});

  it.concurrent.only("adds at once", async () => {});

  describe.concurrent.each([1])("group %i", (n) => {});
});
