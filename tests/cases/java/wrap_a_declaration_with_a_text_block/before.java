class Shop {
	private static final int LIMIT = 20;

	/** Adds up. */
	@Override
	public int total() {
		String motto = """
			Every cup
		  is a break.""";
		return sum(1, 2);
	}

	static class Line {}
}
