build() {
    # the old way
    # of doing it
    cargo install --force cross
    echo done
}
