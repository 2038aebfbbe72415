{
  one();
  two();
  {
    three();
  }
}
