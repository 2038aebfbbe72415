class Pair {
    Pair(int first,
            int second) {
        super(first);
        this.second = second;
    }
}
