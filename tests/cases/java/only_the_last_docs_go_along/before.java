class Dates {
    /**
     * What follows reads dates.
     */

    /**
     * Reads one.
     */
    int read() {
        return 1;
    }

    int write() {
        return 2;
    }
}
