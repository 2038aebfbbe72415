class Till {
    void open() {
    }

    @Override
    public void close() {
    }

    @Test
    void count() {
    }
}
