# A cart.
class Shop::Cart
  def add
  end
end
