def f(x: Int) =
  // keep me
  val y = x
  y
