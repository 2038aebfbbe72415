# frozen_string_literal: true

# The orders of a small shop: products, carts, and what becomes of them.

require "json"
require_relative "prices"

BEGIN { puts "opens" }
END { puts "closes" }

module Shop
  # From here on nothing is paid for the post.
  FREE_SHIPPING = 50.0
  KINDS = %w[tea cup #{1}pot].freeze
  WORDS = %i[cash card].freeze
  RATIO = 3r
  TURN = 2i
  NEVER = nil
  MARK = ?x

  class ShopError < StandardError; end

  # What is sold, and for how much.
  #
  # @attr name [String]
  class Product
    include Comparable
    attr_reader :name, :price

    MOST = 99

    @@count = 0
    $last = nil

    def initialize(name, price = 0.0, *tags, size: 1, note:, **more, &block)
      @name = name
      @price, @size = price, size
      (@first, *@rest), @note = tags, note
      @@count += 1
      block&.call(self)
    end

    def <=>(other) = price <=> other.price

    def name=(value)
      @name = value || raise(ShopError, "no name")
    end

    def self.build(...) = new(...)

    def free? = price.zero? and not @sold

    alias title name
    undef title

    class << self
      # How many there are.
      def count
        @@count
      end

      # And no more.
      def none; end
    end

    private

    def to_sql(limit, **nil)
      <<~SQL + <<-'END_OF_SQL'
        SELECT name, #{limit}
          FROM products\n
      SQL
        LIMIT 10
        END_OF_SQL
    end
  end

  class Cart < Product
    def add(product, count: 1)
      return if count <= 0
      @lines ||= {}
      @lines[product.name] = count unless product.nil?
      super(product, &:itself)
      yield product, count if block_given?
    rescue ShopError, TypeError => error
      warn error.message
      retry if (tries -= 1) > 0
    else
      true
    ensure
      @open = false
    end

    def total(rate = 1.0)
      sum = 0
      @lines.each do |name, count; seen|
        next unless name
        sum += count * Prices.of(name)
        break if sum > 9_999
      end
      each_pair { |(key, _), value| redo if key }
      rate < 1 ? sum * rate : sum.to_s.to_i
    end

    def describe(payment)
      case payment
      when nil, 0 then "nothing"
      when ->(x) { x > 1_000 }
        "much"
      when 1..10, *KINDS
        "little"
      else
        "something"
      end
    end

    def match(order)
      case order
      in [Integer => first, *]
        first
      in {name: String, "id": nil, **nil} if order.any?
        :named
      in Product(price: 1.. => price) unless price
        :priced
      in [*, ^first, *]
        :found
      in Cart[*, 1, *]
        :one
      in Point[x, y]
        :point
      in Cart | Product
        :thing
      in ^(1 + 1)
        :two
      in (1 | -2)
        :one
      in {size:, **rest}
        rest
      else
        nil
      end
      order in {name: String}
      order => {name:}
    end

    def each
      i = 0
      while i < 3 do i += 1 end
      until i.zero?
        i -= 1
      end
      for a, b in [[1, 2]] do
        puts a, b
      end
      i += 1 while i < 3
      i -= 1 until i.zero?
      begin
        Integer("x") rescue 0
      end
      unless i
        puts __FILE__, __LINE__
      else
        puts __ENCODING__
      end
      if i then 1 elsif !i then 2 else 3 end
      ;
    end
  end
end

report = {
  "title" => "Orders",
  total: 3.5e2,
  ok: true,
  bad: false,
  **Shop::DEFAULTS
}
say = lambda { |text| text =~ /tea\s#{text}/i }
shout = ->(text = "x", *) { text.upcase }
list = `ls #{report}`
name = :"with #{list} \t"
label = "a" "b"
puts(*list, **report, &say)
puts defined?(name) ? -1 : (1; 2)
Shop::Cart.new.add(1) do |cart|
  cart&.total
end
def forward(*, &) = other(*, &)
swap = [1, 2]
a, b = *swap
def local((first, second), third) end

class Shop::Order; end

module Shop::Tools; end

RSpec.describe Shop::Cart do
  let(:cart) {}
end

describe "Cart" do
  it "adds" do
    expect(cart.total).to eq(2)
  end
end

__END__
Not code.
