# frozen_string_literal: true

require "set"

module Shop
  LIMIT = 20

  # Puts things together.
  #
  # @since 1.0
  class Cart < Base
    include Enumerable

    # @param product [Product]
    # @return [void]
    def add(product, count = 1, note: nil)
      raise ShopError, "full" if full?

      @lines[product] = count # the last one counts
    end

    # The sum.
    def total
      @lines.sum { |product, count| product.price * count }
    end

    def full? = @lines.size >= LIMIT

    def clear; end

    private

    def query(limit)
      sql = <<~SQL
        SELECT name
          FROM products
        LIMIT #{limit}
      SQL
      run(sql, retries: 2, cached: true)
    rescue TimeoutError => e
      warn e.message
    end
  end

  class Order
    def clear
      lines.each do |line|
        line.remove
      end
    end
  end
end
