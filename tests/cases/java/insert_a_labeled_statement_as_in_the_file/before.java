class Shop {
    void restock() {
        int place = 7;
        place--;
    }
}
