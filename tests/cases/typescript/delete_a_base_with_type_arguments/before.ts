class Cart<T> extends Shop<T> implements Priced {
  total = 0;
}
