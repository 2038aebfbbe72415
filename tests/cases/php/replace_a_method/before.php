<?php

declare(strict_types=1);

namespace App\Shop;

use App\Models\Product;
use App\Models\Shelf;

/**
 * A cart of one customer.
 */
#[Entity]
final class Cart extends Base implements Countable, ArrayAccess
{
    use Logs;

    private const LIMIT = 20;

    /** @var array<string, int> */
    private array $lines = [];

    public function __construct(private readonly Shelf $shelf, ?string $note = null)
    {
    }

    /**
     * Puts a product in.
     *
     * @throws ShopError
     */
    #[Pure]
    public function add(Product $product, int $count = 1): void
    {
        if ($count <= 0) {
            throw new ShopError('none'); // never less than one
        }

        $this->lines[$product->name] = $count;
    }

    // The sum of all.
    public function total(float $rate = 1.0): float
    {
        return array_sum($this->lines) * $rate;
    }

    public function clear(): void {}

    protected function query(int $limit): string
    {
        $sql = <<<SQL
            SELECT name
              FROM products
            LIMIT $limit
            SQL;

        return $this->run($sql, ['retries' => 2, 'cached' => true]);
    }
}

enum Suit: string
{
    case Hearts = 'h';
    case Spades = 's';
}

function clear(): void
{
}
