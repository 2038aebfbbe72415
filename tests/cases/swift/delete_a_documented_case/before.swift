import Foundation
import Shop

/// What is sold.
@MainActor
public final class Cart<T: Hashable>: Store, Priced where T: Comparable {
    private var lines: [T] = []
    // The name on the slip.
    var name: String = "cart"

    var total: Int {
        lines.count
    }

    subscript(row: Int, column: Int = 0) -> Int {
        get { row }
    }

    subscript(word: String) -> Int {
        word.count
    }

    init<V>(_ value: V, _ other: Int = 1) async throws where V: Sequence {
        self.value = value
    }

    public init(limit: Int) {
    }

    /// Adds an item.
    ///
    /// - Parameter item: what is added
    @discardableResult
    @objc(addItem:)
    public func add(_ item: T, count: Int = 1, tags: String...) throws -> Bool {
        if count > limit {
            return false
        }
        lines.append(item)
        show(item, count, with: "a, b")
        return true
    }

    // Tells what is left.
    func rest() -> Int { limit - lines.count }

    func motto() -> String {
        return """
            One
              two
            """
    }

    func clear() {}

    func of(_ payment: Any) -> String {
        switch payment {
        case 1:
            return "one"
        case 2:
            return "two"
        default:
            return "more"
        }
    }

    #if DEBUG
    func check() {
    }
    #endif
}

enum Status: String {
    case open
    /// Paid in cash.
    case paid = "p"
    case done

    func next() -> Status { .open }
}

protocol Priced {
    var total: Int { get }
    func pay(in cents: Int) throws -> Bool
}

extension Cart: Closed {
}

func main(_ a: Int, _ b: Int) {
    let cart = Cart<Int>(limit: 20)
    cart.lines.map { line in line + 1 }
    run { show() }
    let prices = ["tea": 250, "milk": 90]
    let point = (x: 1, y: 2)
    if isOpen(cart) {
        close()
    } else {
        open()
    }
    for line in cart.lines { show(line) }
    while ready {
    }
}
