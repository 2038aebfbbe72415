module com.example.shop {
    requires java.base;
    exports com.example.shop;
}
