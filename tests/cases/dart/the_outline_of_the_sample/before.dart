#!/usr/bin/env dart
/// A small shop: products, carts and the orders that are made of them.
@Tags(['shop'])
library shop.counter;

import 'dart:async' deferred as later show Future, Stream hide Timer;
import 'till_stub.dart' if (dart.library.io == 'true') 'till_io.dart';
export 'src/prices.dart' show Price;
part 'counter.g.dart';

/* Amounts of money are kept in cents. */
const freeShipping = 50_00, handling = 0x1F;
final double rate = 1.5e3;
var ordersToday = 0;
late final String motto;
external int get tillCount;
external set tillCount(int count);
external void lockTill();
external String till;

/// Who looks at a price.
typedef Rule<T> = bool Function(T item, [int count]);
typedef Named = void Function({required int a, String? b});
typedef int Old(int x);

/** The sides of a parcel, in millimetres. */
extension type const Size._(int width) implements int {
  int get half => width ~/ 2;
}

enum Status with Shown implements Comparable<Status> {
  open('open'),
  @deprecated
  paid<int>.of('paid'),
  done;

  const Status([this.label = '']);
  const Status.of(String label) : this(label);

  final String label;

  @override
  int compareTo(Status other) => index - other.index;
}

mixin Shown on Object implements Priced {
  void show() {}
}

sealed class Shape {}

base mixin class Box {}

abstract interface class Priced {
  int get total;
  set note(String note);
  int price(covariant Object item);
  operator [](int index);
}

class Both = Store with Shown implements Priced;

/// A small shop.
@immutable
class Cart<T extends Comparable<T>, R> extends Store with Shown, Watched implements Priced {
  static const int limit = 20, most = 40;
  final List<(T item, {int count})> lines = [];
  late String? note;
  static final cache = <String, Cart>{};
  external int size;
  covariant num weight = 1;

  Cart(this.name, {required String note, super.key, int count = 1})
      : assert(count > 0, 'a count'),
        label = 'cart',
        this.count = count,
        super(note) {
    open();
  }

  Cart.named(String name) : this(name, note: '');

  const Cart.empty();

  factory Cart.of(Map<String, dynamic> json) {
    return Cart(json['name'] as String, note: 'none');
  }

  factory Cart.other() = Card.other;

  // What all of it costs.
  @override
  int get total => lines.fold(0, (sum, line) => sum + line.count);

  set first(T item) {
    lines[0] = (item, count: 1);
  }

  /// Adds a product.
  @override
  Future<bool> add<A>(T item, [int count = 1, void check(A a)?]) async {
    if (lines.length >= limit && !isOpen || count == -1) {
      throw StateError('the cart is full');
    } else if (count == 0) {
      return false;
    }
    lines.add((item, count: count));
    await Future.delayed(const Duration(seconds: 1));
    assert(count != 0);
    return true;
  }

  @override
  bool operator ==(Object other) => other is Cart<T, R> && other.name == name;

  Stream<int> hours() async* {
    yield 9;
    yield* others();
  }

  Iterable<int> prices() sync* {
    for (var i = 0, n = 3; i < n; i++) {
      if (i == 1) continue;
      yield i;
    }
    for (final line in lines) print(line);
    await for (final (item, count: n) in stream) {
      print(item);
    }
    while (isOpen) {
      close();
      break;
    }
    do {
      seen -= 1;
    } while (seen > 0);
    search:
    while (true) {
      break search;
    }
    ;
  }

  String describe(Object? payment) {
    switch (payment) {
      case null:
        return 'nothing';
      case int cents when cents > 100:
      case 1 || 2 && > 0:
        return "few";
      again:
      case Product(name: 'tea', :var price):
        continue again;
      case [var first, ...var rest]:
      case {'a': 1, 'b': final b}:
      case (int low, high: _):
      case var x?:
      case var y!:
      case String s as Object:
      case const (1):
        break;
      default:
        print('odd');
    }
    return switch (payment) {
      1 => 'one',
      int n when n > 2 => 'two $n of ${n + 1}\n',
      _ => r'raw\' "more" 'and' r"more",
    };
  }

  List<T> sorted(List<T> items) {
    try {
      print(items);
    } on FormatException catch (error, trace) {
      print(error);
    } catch (_) {
      rethrow;
    } finally {
      close();
    }
    final all = [...items, ...?more, if (isOpen) 1 else 2, for (var i in items) i, ?maybe];
    final names = <String, int>{'tea': 1, ...others, if (a case var b) b: 2, ?key: 1};
    final kinds = {1, 2};
    final (low, high: top) = pair;
    var text = '''
a long
  story $low ${top}
''';
    var more = """
double
""" r'''raw
''' r"""raw
""";
    int bits = (1 | 2) & 3 ^ 4 << 2 >> 1;
    bits += ~bits * 2 % 3 ~/ 1;
    final word = isOpen ? 'yes' : 'no';
    final kept = note ?? 'none';
    final length = note?.length;
    final there = items?[0];
    final sure = note!;
    final cast = items as List<int>;
    final isInt = cast is! int;
    final symbol = #cart.lines;
    final symbolToo = #+;
    final made = new Cart.named('a');
    final constant = const Cart.empty();
    final tearOff = Cart.new;
    final typed = List<int>.filled;
    final twice = <A>(A x) { return x; };
    final instance = add<int>;
    final nothing = null;
    final isTrue = true;
    cart
      ..add(1)
      ..note = 'x'
      ?..lines[0].first();
    (a, b) = (b, a);
    bits++;
    --bits;
    int half(int x) => x ~/ 2;
    final Color color = .red;
    var unset, other = 1;
    void Function(int) callback = print;
    return items;
  }

  late int deep = super.total;
  var here = this;
}

extension Words on String {
  String get loud => '$this!';
}

int total(Cart cart) => cart.total;
int get today => ordersToday;
set today(int count) => ordersToday = count;
Object native() native "Native_call";
