void count(int &sold) {
    auto add = [&sold](int more) { sold += -more; };
    add(1);
}
