package shop

import java.io.File
import java.util.Date

/**
 * What is sold.
 */
@Serializable
class Cart<T : Any>(
    private val limit: Int,
    store: Store,
) : Store by store, Priced {
    private val lines = mutableListOf<T>()

    // The name on the slip.
    var name: String = "cart"
        get() = field

    constructor(note: String) : this(20, Store()) {
    }

    /** Adds an item. */
    @Logged
    @Audited
    fun add(item: T, count: Int = 1, vararg tags: String): Boolean {
        if (count > limit) {
            return false
        }
        lines.add(item)
        show(item, count, "a, b")
        return true
    }

    // Tells the total.
    fun total() = lines.size

    fun motto(): String {
        return """
            One
              two
        """.trimIndent()
    }

    fun clear() {}

    fun of(payment: Any) = when (payment) {
        1 -> "one"
        2 -> "two"
        else -> "more"
    }

    companion object {
        const val MOST = 40
    }
}

enum class Status(val code: Int) {
    OPEN(1),

    /** Paid in cash. */
    PAID(2),
    DONE(3),
}

enum class Kind {
    SMALL, LARGE;

    fun next() = LARGE
}

interface Priced

fun main() {
    val cart = Cart<Int>(20, Store())
    cart.lines.map { line -> line + 1 }
    run { show() }
    later { val seen = 1; show(seen) }
}
