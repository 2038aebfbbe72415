#!/usr/bin/env scala
//> using scala 3.3
package shop.counter

import java.io.File
import scala.collection.{mutable, immutable => fixed, *}
import shop.stock.{Item as Stock, given}
import shop.prices._
export shop.till.open

/** What is sold, and for how much. */
@SerialVersionUID(1L)
case class Product(name: String, price: Int = 0, tags: String*) extends Item(name) with Ordered[Product] derives Show {
  def compare(other: Product): Int = price.compareTo(other.price)
}

/* Amounts of money are kept in cents. */
type Cents = Long

sealed trait Payment[+T, -R] { self: Store =>
  val cents: Cents
  var note: String
  type Item <: AnyRef
  def pay(by: => Int): Boolean
}

object Payment extends Payments {
  private[shop] lazy val rates = Map("a" -> 1.0, "b" -> .9f)
  implicit val ordering: Ordering[Product] = Ordering.by(_.price)

  def apply(): Payment[Int, Int] = new Cash(1) { val cents = 1L }
}

/** A small shop: products, carts and the orders that are made of them. */
final class Cart[T <: Comparable[T] : Show, F[_]] private (val limit: Int, var store: Store)(implicit ev: Show[T])
    extends Store(limit)
    with Priced {
  private val lines = mutable.ListBuffer[(T, Int)]()
  private var seen = 0x1F

  // The name on the slip.
  def this(note: String) = this(20, new Store())

  /** Adds a product. */
  @tailrec
  @throws(classOf[Exception])
  override protected def add[A](item: T, count: Int = 1, check: A => Boolean)(using Clock): Boolean = {
    if (lines.size >= limit) {
      throw new IllegalStateException("the cart is full")
    } else if (count == 0) return false
    lines += ((item, count))
    lines.map { case (product, n) => n * 2 }.filter(_ > 1)
    lines foreach { line => println(line) }
    while (seen < 10) {
      seen += 1
    }
    do { seen -= 1 } while (seen > 0)
    val (low, high) = (1, 2)
    !true
  }

  def describe(payment: Any): String = payment match {
    case null => "nothing"
    case 1 | 2 => "few"
    case Product(name, _, rest @ _*) if name != "" => name
    case text: String => s"odd $text of ${text.length}\n"
    case head :: tail => "list"
    case (one, two) => f"$one%d"
    case -1.5 => 'x'.toString
    case `limit` =>
      println("limit")
      """a long
        |  story
        |""".stripMargin
    case x @ Some(_: Int) => raw"\n"
    case _: List[?] => "list"
    case other => other.toString
  }

  def sorted(items: List[T]): List[T] = {
    val all = for {
      item <- items
      if item != null
      twice = item
    } yield twice
    for (i <- 0 until 3; j <- 1 to 2) println(i)
    val text = try {
      read()
    } catch {
      case error: Exception => ""
    } finally {
      close()
    }
    val twice = (x: Int) => x * 2
    val typed = (items: List[Any])
    val made = new File("till")
    val typeArgs = Map.empty[String, Int]
    val isThere = !items.isEmpty && seen == 1
    val negative = -seen
    val annotated: Int @unchecked = 1
    val projection: Outer#Inner = null
    val compound: Store with Priced = null
    val function: (Int, => String) => Unit = (_, _) => ()
    val tuple: (Int, String) = (1, "a")
    val single: seen.type = seen
    val infixed: Int Or String = 1
    val symbol = 'name
    val method = add _
    val structural: { def close(): Unit } = null
    val xml = 1.max(2)
    val macroOne = '{ 1 + 2 }
    val spliced = ${ macroOne }
    val one, two = 1
    val literal: 1 = 1
    val none = items.headOption orNull
    val deep: shop.stock.Item = null
    val lambda: Any { type F = [X] =>> List[X] } = null
    val old: List[X] forSome { type X } = null
    val markup = <a href="x">{one} b<br/><!-- c --></a>
    val named = make[A = Int](1)
    val started = new { val x = 1 } with Store
    val page = payment match {
      case given Clock => 1
      case shop.Closed => 2
      case (name = n, price = p) => 4
      case <a>b</a> => 3
    }
    seen = 3
    lines(0) = null
    return all
  }

  def count(n: Int): Int = macro counted
}

package object tools {
  val x = 1
}

enum Status(val code: Int):
  case Open extends Status(1)
  case Paid, Done
  case Nested(inner: Status) extends Status(2)

  def isOpen: Boolean = this == Open
end Status

trait Shown[A]:
  extension (a: A)
    def shown: String
    def twice: String = a.shown * 2

opaque type Price = Int
type Wider[A >: Null <: AnyRef, B <% Ordered[B]] = A

open class Wide(a: Int):
  infix def or(b: Int): Int = a

type Elem[X] = X match
  case String => Char
  case Array[t] => t

given intOrd: Ordering[Int] with
  def compare(x: Int, y: Int): Int =
    if x < y then -1
    else if x > y then 1
    else 0

given Clock = Clock()

inline def assertOpen(inline x: Boolean, xs: Int*): Unit =
  inline if x then
    println("open")
    println(xs*)
  else
    println("closed")

transparent inline def kind: Any = ???

extension [T](list: List[T])(using Ordering[T])
  def second: T = list.tail.head

given [A] => Ord[A] => Ord[List[A]] = listOrd

class Box[A](val a: A):
  def map[B](f: A => B): Box[B] =
    val made = f(a)
    Box(made)

  def poly = [X] => (x: X) => List(x)
  def dependent: (x: Int) => x.type = ???
  def context: Clock ?=> Int = clock ?=> 1

  def loop(): Unit =
    while a != null do
      println(a)
    for x <- 1 to 2 do println(x)
    val r = a match
      case 1 => "one"
      case _ => "more"
    try println(r)
    catch case e: Exception => ()
    a.foo:
      println(1)
    val q = "a" * 2

object Main:
  @main def run(args: String*): Unit = println(using 1)
