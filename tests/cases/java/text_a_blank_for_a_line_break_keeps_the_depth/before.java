class A {
  private static Method cached(Class<?> type, String name,
      Class<?>... parameters) throws NoSuchMethodException {
    Map<Class<?>, Method> methods = all.get(name);
    return methods.get(type);
  }
}
