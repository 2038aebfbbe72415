<?php

declare(strict_types=1);

namespace Shop;

use Shop\Stock\{Shelf, Box as Crate};
use ArrayAccess, Countable;
use function Shop\Prices\of;

const FREE_SHIPPING = 50.0, OPEN = true;

/**
 * What is sold, and for how much.
 */
#[Entity(table: 'products'), Cached]
abstract class Product extends Thing implements Countable, ArrayAccess
{
    use Named, Priced {
        Named::title insteadof Priced;
        Priced::title as protected cost;
    }

    final public const string KIND = 'thing', NONE = null;

    var $old;
    public static int $count = 0, $sold = 1;
    private readonly ?Shelf $shelf;

    #[Hidden]
    protected string|int|null $note {
        get => $this->note ?? '';
        set(string $value) {
            $this->note = trim($value);
        }
    }

    public function __construct(private readonly string $name, float &$price = 1.5, Product ...$parts)
    {
        parent::__construct(...$parts);
        static::$count += 1;
        $this->shelf = new Shelf(name: $name, size: -1);
    }

    abstract protected function free(): never;

    public static function build(Countable&ArrayAccess $from, (A&B)|null $other = null): static
    {
        return clone $from;
    }

    public function describe(mixed $payment): string
    {
        $text = match (true) {
            $payment === null, !$payment => "nothing\n",
            $payment instanceof Card => "card {$payment->number} of $payment[0]",
            default => throw new ShopError('unknown'),
        };

        switch ($payment?->kind) {
            case 'cash':
                echo 'paid', "\t";
                break;
            default:
                print 'not paid';
        }

        return $text;
    }
}

interface Priced extends Countable
{
    public function price(): float;
}

trait Named
{
    public function title(): string
    {
        return <<<TITLE
            The name:
              {$this->name}\x41
            TITLE;
    }

    public function plain()
    {
        return <<<'PLAIN'
        No $name here.
        PLAIN;
    }
}

enum Suit: string
{
    case Hearts = 'h';
    case Spades = 's';
}

final readonly class Point {}

function total(array $lines, callable $rule = null)
{
    global $rate;
    static $calls = 0, $last;

    $calls++;
    foreach ($lines as $name => $count) {
        if ($count <= 0) {
            continue;
        } elseif ($name == 'tea') {
            $sum = ($sum ?? 0) + (int) $count;
        } else {
            goto done;
        }
    }
    for ($i = 0, $j = 1; $i < 10; $i++, $j--) {
        while (false) {
            yield $i => $j;
        }
    }
    do {
        $i -= 1;
    } while ($i > 0);

    done:
    try {
        [$first, [, $second]] = $lines;
        list('a' => $a) = $lines;
        $alias = &$lines[0];
        $$alias = @file('orders.txt');
    } catch (ShopError | TypeError $error) {
        unset($a, $first);
    } finally {
        $list = `ls`;
    }

    $rule = static function (&$sum) use ($first, &$second): void {
        $sum = $first ? $second : namespace\of($second);
    };
    $short = #[Pure] fn (int $x): int => $x ** 2;
    $made = new class (1) extends Product {
        public $x = ['a' => 1, ...OTHERS];
    };
    $call = strlen(...);
    $later = half(?, 2);
    $old = array(1, 2);
    include 'a.php';
    include_once 'b.php';
    require 'c.php';
    require_once 'd.php';
    \Shop\total($lines)?->show();
    $made->{'x'}::class;
    ;
    exit(1);
}

if ($open): ?>
<p>Welcome, <?= $name ?>.</p>
<?php else: ?>
<p>Closed.</p>
<?php endif;

namespace Other {
    function f() {}
}

describe('orders', function () {
    it('adds', fn () => expect(1)->toBe(1));
});
