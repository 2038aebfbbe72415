class Adapters {
  public static final Factory UUID = make(Id.class);

  public static final Factory TIME = make(Time.class);
}
