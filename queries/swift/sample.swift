#!/usr/bin/env swift
// A small shop: products, carts and the orders that are made of them.
import Foundation
@testable import class Shop.Till

infix operator <+>: AdditionPrecedence
prefix operator √

precedencegroup AdditionOfPrices {
    higherThan: AdditionPrecedence
    associativity: left
}

/// What is free to send, in cents.
let freeShipping = 50_00
private(set) var ordersToday: Int = 0x1F

/// Who looks at a price.
public typealias Rule<T> = (inout T, _ limit: Int) async throws -> Bool

/* The sides of a parcel, in millimetres. */
struct Size: Equatable, Codable {
    let width: Int, height: Int
    static let zero = Size(width: 0, height: 0)
}

@frozen
enum Status: String {
    case open = "open", paid
    /// It was handed over.
    case done
    indirect case nested(inner: Status, count: Int = 1)

    var isOpen: Bool { self == .open }
}

protocol Priced: AnyObject where Item: Equatable {
    associatedtype Item: Comparable = Int
    var total: Int { get }
    var note: String { get set }
    init(limit: Int)
    func price(of item: Item) throws -> Int
    static func make() -> Self
    subscript(index: Int) -> Item { get }
}

actor Till {
    nonisolated let name: String = "till"
    distributed func lock() async {}
}

/// A small shop.
@MainActor
@available(iOS 15, macOS 12.0, *)
public final class Cart<T: Hashable, each U>: Store, Priced where T: Comparable, U == Int {
    private var lines: [(item: T, count: Int)] = []
    weak var owner: Store?
    lazy var first: T = { [unowned self, weak owner] in self.lines[0].item }()
    @Published var rates: [String: Double] = ["a": 1.0, "b": 0.9]
    let none: [Int] = [], empty: [String: Int] = [:]

    // What all of it costs.
    var total: Int {
        lines.reduce(0) { $0 + $1.count }
    }

    var note: String {
        get { "none" }
        set(value) { print(value) }
    }

    var seen: Int = 0 {
        willSet { print(newValue) }
        didSet(old) { print(old) }
    }

    var raw: Int {
        _modify { yield &seen }
    }

    public required init?(limit: Int) {
        guard limit > 0 else { return nil }
        super.init()
    }

    deinit {
        close()
    }

    subscript(index: Int) -> T {
        get { lines[index].item }
        set { lines[index] = (newValue, 1) }
    }

    /// Adds a product.
    ///
    /// - Parameter item: what is added
    @discardableResult
    @objc(addItem:)
    public override func add<V>(_ item: T, count: Int = 1, tags: String..., by rule: @escaping (V) -> Bool) throws -> Bool where V: Sequence {
        if lines.count >= limit, let owner = owner, case .open = status {
            throw ShopError.full
        } else if count == 0 {
            return false
        } else {
            seen += 1
        }
        lines.append((item, count))
        defer { close() }
        return !true
    }

    static func <+> (one: Cart, other: Cart) -> Cart {
        for (item, count) in other.lines where count > 0 {
            one.add(item, count: count) { _ in true }
        }
        for try await line in stream {
            print(line)
        }
        while one.seen < 10 {
            one.seen += 1
            continue
        }
        repeat {
            one.seen -= 1
        } while one.seen > 0
        search: while true {
            break search
        }
        return one
    }

    func describe(_ payment: Any?) -> String {
        switch payment {
        case nil:
            return "nothing"
        case 1 as Int, is Double:
            return "few"
        case let count as Int where count > 1:
            fallthrough
        case .some(let other):
            return "odd \(other) of \(count, radix: 2)\n"
        case (let left, _)?:
            return #"raw \#(left)"#
        case 1...5, ..<3, 7...:
            break
        @unknown default:
            return """
                a long
                  story \(payment!)
                """
        }
        return ""
    }

    func sorted(_ items: [T]) async throws -> [T] {
        do {
            let text = try await load(from: URL(string: "till")!)
            print(text)
        } catch let error as ShopError where error == .full {
            print(error)
        } catch {
            throw error
        }
        let all = items.sorted { (a: T, b: T) -> Bool in a < b }
        let word = all.isEmpty ? "none" : "some"
        let size = (all.count + 2 * 3 - 4 / 2) % 5
        let bits = 0b101 & 0o17 | 1 << 2 ^ ~3
        let isThere = size == 1 && bits != 2 || !all.isEmpty
        let same = owner === nil
        let kept = owner?.note ?? "none"
        let path = \Cart<Int, Int>.lines[0]
        let selector = #selector(getter: Cart.note)
        let key = #keyPath(Cart.note)
        let made = [Int](repeating: 0, count: 3)
        let more = Array<Optional<Int>>()
        let type = Cart<Int, Int>.self
        let any: any Priced & Store = self
        let some: some Priced = self
        let optional: Int? = nil
        let meta: Store.Type = Store.self
        let number = -1.5 + 1e3
        let isInt = any is Int
        let copy = consume all
        let unsafeOne = unsafe pointer.pointee
        let line = #line
        let pattern = /a+b/
        var (low, high) = (1, 2)
        low += high
        high = -low
        let swap: (Int, Int) -> Void = { low, high in print(low, high) }
        let kinds: Set<String> = Set(["a"])
        let color = #colorLiteral(red: 1, green: 0, blue: 0, alpha: 1)
        let cast = any as! Cart
        let macro = #stringify(low + high)
        if #available(iOS 16, *) {
            print(low)
        }
        let value = if low > 1 { 1 } else { 2 }
        seen = 3
        let whole = items[...]
        let handler: @Sendable () -> Void = {}
        let meta2: (any Priced).Type = made
        _ = swap
        return all
    }

    func pack<each V>(_ value: repeat each V) -> (repeat each V) {
        return (repeat each value)
    }

    borrowing func shown(_ x: borrowing T) throws(ShopError) {}
}

extension Cart: CustomStringConvertible where T == Int {
    public var description: String { "cart" }
}

struct Unique: ~Copyable {
    mutating func close() {}
}

@attached(member)
macro Logged(level: Int) = #externalMacro(module: "Macros", type: "LoggedMacro")

#if DEBUG
func check() {}
#elseif os(Linux)
func check(_ x: Int) {}
#else
func check(_ x: String) {}
#endif

#warning("there is no paper")
