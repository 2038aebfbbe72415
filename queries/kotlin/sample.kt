#!/usr/bin/env kotlin
@file:JvmName("Shop")

package shop.counter

import java.io.File
import java.util.*
import shop.stock.Item as Stock

/** A rule about prices. */
typealias Rule<T> = suspend (T) -> Int

/* Amounts of money are kept in cents. */
const val FREE_SHIPPING = 50_00L

private var ordersToday: Int = 0
    private set

/**
 * What is sold, and for how much.
 */
data class Product(val name: String, val price: Int, vararg tags: String) : Item(name), Comparable<Product> {
    override fun compareTo(other: Product): Int = price.compareTo(other.price)
}

enum class Status(val label: String) {
    OPEN("open"),
    @Deprecated("Use OPEN")
    PAID("paid") {
        override fun next() = OPEN
    };

    abstract fun next(): Status
}

sealed interface Payment {
    val cents: Int

    fun pay(): Boolean
}

fun interface Check {
    fun ok(item: Product?): Boolean
}

annotation class Logged(val level: Int = 1)

expect class Clock

/** A small shop: products, carts and the orders that are made of them. */
@Logged(level = 2)
open class Cart<in T : Any, reified R>(
    private val limit: Int = 20,
    store: Store,
) : Store by store, Payment where T : Comparable<T>, R : Item {
    private val lines = mutableListOf<Pair<Product, Int>>()
    private lateinit var note: String

    // What all of it costs.
    override val cents: Int
        get() = lines.sumOf { (product, count) -> product.price * count }

    var name: String = "cart"
        get() {
            return field
        }
        set(value) {
            field = value
        }

    val first by lazy { lines[0] }

    init {
        require(limit > 0) { "a limit of $limit" }
    }

    constructor(note: String) : this(20, Store()) {
        this.note = note
    }

    companion object Maker {
        @JvmStatic
        fun of(note: String) = Cart(note)
    }

    object Empty : Payment {
        override val cents = 0

        override fun pay() = true
    }

    /** Adds a product. */
    @Logged
    @Throws(IllegalStateException::class)
    inline fun <A> add(item: Product, count: Int = 1, noinline check: ((Product) -> Boolean)? = null): Boolean {
        if (lines.size >= limit) {
            throw IllegalStateException("the cart is full")
        } else if (count == 0) return false
        lines += item to count
        lines.add(Pair(item, count))
        return !false
    }

    operator fun plus(other: Cart<T, R>): Cart<T, R> {
        for ((product, count) in other.lines) {
            add<Int>(product, count = count)
        }
        for (hour: Int in 9..17) println(hour)
        var seen = 0
        while (seen < 10) {
            seen++
            if (seen == 5) continue
        }
        do {
            seen -= 1
        } while (seen > 0)
        search@ while (true) {
            break@search
        }
        return this@Cart
    }

    fun describe(payment: Any?): String = when (payment) {
        null -> "nothing"
        1, 2 -> "few"
        is Product -> payment.name
        !is Cart<*, *> -> "odd"
        in 3..4 -> {
            "some"
        }
        else -> """
            a long
              story of $payment and ${payment.hashCode() + 1}
        """.trimIndent()
    }

    fun sorted(items: List<Product>, vararg more: Product): List<Product> {
        val all = items + listOf(*more)
        val sizes = when {
            all.isEmpty() -> 0
            else -> all.size
        }
        val size = when (val n = sizes) {
            0 -> 1
            else -> n
        }
        val text = try {
            File("till").readText()
        } catch (error: Exception) {
            "none\t"
        } finally {
            close()
        }
        val letter = 'x'
        val sum = (low + 1) * 2
        print(@Suppress("LOUD") letter)
        val weight = 4.5
        val word = if (size > 1) "many" else "one"
        val listener = object : Check {
            override fun ok(item: Product?) = item != null
        }
        val twice = fun(x: Int): Int { return x * 2 }
        val other = all as? ArrayList<Product> ?: return all
        val (low, high) = 1 to 2
        val isThere = low in other.indices && other is List<*>
        val names = all.map(Product::name).filter { it.length > 1 }.map { name: String -> name }
        val types: Map<String, List<out Any>>? = null
        val made = types!!["a"]?.size
        @Suppress("UNUSED")
        val loose: dynamic = -1
        val run = Cart<Any, Item>::add
        val extended: Product.(Int) -> Unit = { }
        val both: (Any & Comparable<*>)? = null
        names.forEach each@{ name -> if (name == "") return@each }
        super<Store>.close()
        return all
    }

    @Logged suspend fun @receiver:Logged Product.sell(): (Int) -> Unit = { count ->
        println(count)
        println(this)
    }

    protected internal tailrec fun count(n: Int): Int = if (n == 0) 0 else count(n - 1)

    @Tags(["a", "b"]) external fun lock()
}

actual fun Product.label(): String = "$name: $price"
