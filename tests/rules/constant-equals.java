class A {
    boolean f(String name, String other) {
        return name.equals("admin") || "root".equals(name) || name.equals(other)
            || find(name, 1).trim().equals("x" /* constant */);
    }
}
