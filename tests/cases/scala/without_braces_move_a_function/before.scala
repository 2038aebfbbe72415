package shop

/** What is sold. */
class Cart(limit: Int):
  private val lines = Buffer[Int]()

  /** Adds an item. */
  @logged
  def add(item: Int): Boolean =
    if item > limit then
      return false
    lines.append(item)
    true

  // Tells the total.
  def total: Int =
    lines.size

  def of(payment: Any): String = payment match
    case 1 => "one"
    case 2 =>
      show(2)
      "two"
    case _ => "more"
end Cart

enum Status(val code: Int):
  case Open extends Status(1)
  case Paid, Done

  def isOpen = this == Open

object Last:
  def close(): Unit =
    println("closed")

  def open(): Unit =
    println("open")

given Ordering[Int] with
  def compare(x: Int, y: Int): Int = x - y
