void run() {
    int fd = open("x");
    use(fd);
}
