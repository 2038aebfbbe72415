library shop;

import 'dart:io';
import 'package:shop/shop.dart';

/// What is sold.
@immutable
class Cart<T> extends Store implements Priced, Closed {
  static const int limit = 20, most = 40;

  // The lines so far.
  final List<T> lines = [];

  Cart(this.name, {required String note, int count = 1}) : super(note) {
  }

  Cart.named(super.x);

  /// Adds an item.
  @override
  @logged
  bool add(T item, int count, [int place = 0, String? tag]) {
    if (count > limit) {
      return false;
    }
    lines.add(item);
    show(item, count, 'a, b');
    return true;
  }

  // Tells the total.
  int get total => lines.length;

  String motto() {
    return '''
One
  two
''';
  }

  void clear() {}

  external void lock();

  String of(Object payment) {
    switch (payment) {
      case 1:
        return 'one';
      case 2:
        return 'two';
      default:
        return 'more';
    }
  }

  String kind(int size) => switch (size) {
        0 => 'none',
        1 => 'one',
        _ => 'more',
      };
}

enum Status {
  open(1),

  /// Paid in cash.
  paid(2),
  done(3);

  const Status(this.code);

  final int code;
}

enum Colour { red, green }

abstract class Priced {}

abstract class Ordered {
  bool operator <(Ordered other);
}

extension Words on String {
  String get loud => '$this!';
}

int get today {
  return 1;
}

set today(int day) {
  log(day);
}

extension type Price(int cents) {}

void main() {
  int half(int x) {
    return x;
  }
  final made = {'a': [1, 2]};
  final prices = {'tea': 250, 'milk': 90};
  final names = [
    'tea',
    'milk',
  ];
  cart.lines.map((line) {
    return line;
  });
  run(() => show());
  if (isOpen) close(); else open();
}
