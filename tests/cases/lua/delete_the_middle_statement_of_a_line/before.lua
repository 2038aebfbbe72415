local function swap(order)
  local left = order.left; order.left = order.right; order.right = left
  return order
end
