class Till {
    void open() {
    }

    /**
     * Closes it.
     */
    public void close() {
    }

    void count() {
    }
}
