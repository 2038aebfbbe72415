package shop

import java.io.File
import scala.collection.{mutable, immutable}

/** What is sold. */
@Serializable
class Cart[T <: Item](val limit: Int, store: Store)(implicit ev: Show[T]) extends Store(limit) with Priced {
  private val lines = mutable.Buffer[T]()

  // The name on the slip.
  var name: String = "cart"

  def this(note: String) = {
    this(20, new Store())
  }

  /** Adds an item. */
  @logged
  @audited
  def add(item: T, count: Int = 1)(using clock: Clock): Boolean = {
    if (count > limit) {
      return false
    }
    lines.append(item)
    show(item, count, "a, b")
    true
  }

  // Tells the total.
  def total: Int = lines.size

  def motto: String = {
    """One
      |  two
      |""".stripMargin
  }

  def clear(): Unit = {}

  def of(payment: Any) = payment match {
    case 1 => "one"
    case 2 =>
      show(2)
      "two"
    case _ => "more"
  }
}

object Cart { def apply() = new Cart(1) }

trait Priced {
  def total: Int
}

given Ordering[Int] with {
  def compare(x: Int, y: Int): Int = x - y
}

enum Colour {
  case Red, Green

  def next = Red
}

class Sizes { case object Small; x match { case 1 => val y = 2; y } }

case class Line(name: String, count: Int)

object Main {
  def main(args: Array[String]): Unit = {
    args.map { line => line + 1 }
    run { show(); hide() }
    for (i <- 1 to 3; j <- 1 to 2) println(i)
    val (low, high) = (1, 2)
    args match { case Array(a, b) => show(a) }
  }
}
