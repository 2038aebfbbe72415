class One {
    fun close() {
        log("closed")
    }
}

object Two {
    fun close() {
        log("closed")
    }
}

interface Shown {
    val size: Int

    companion object Made {
        typealias Sizes = List<Int>
    }
}
