#!/usr/bin/env lua
-- The orders of a small shop: products, carts, and what becomes of them.

local json = require("json")
local M = {}

--- What is free of charge from here on.
M.free_shipping = 50.0
rates = { normal = 0.19, ["low"] = 0.07, 1, 2; 3 }
local opened, closed
local first <const>, second <close> = 1, nil

--[[ A cart
     of one customer. ]]
local Cart = {
  lines = {},
  limit = 20,
  empty = function(self)
    return #self.lines == 0
  end,
}
Cart.__index = Cart

--- Makes a cart.
-- @param note string
function Cart.new(note, ...)
  local self = setmetatable({}, Cart)
  self.note = note or "none"
  self.rest = { ... }
  return self
end

function Cart:add(product, count)
  if not product or count <= 0 then
    error("no \"product\"\n")
  elseif self.lines[product] then
    self.lines[product] = self.lines[product] + count
  else
    self.lines[product] = count
  end
  return true, self
end

function Cart:total()
  local sum = 0
  for name, count in pairs(self.lines) do
    sum = sum + (rates[name] or 1) * count
  end
  for i = 1, 10, 2 do
    sum = sum + i
  end
  while sum > 9999 do
    break
  end
  repeat
    sum = sum - 1
  until sum < 0 or false
  do
    sum = -sum
  end
  if sum == 0 then
    goto done
  end
  ::done::
  return sum
end

local function report(cart)
  local text = [[
    total:
      none]]
  print(text .. cart:total())
  print "done"
  ;
end

M.describe = function(order)
  return json.encode(order)
end

local double = function(x) return x * 2 end

describe("carts", function()
  it("adds", function()
    assert(double(1) == 2)
  end)
end)

report(Cart.new())
global_name = M

return {
  cart = Cart,
  describe = M.describe,
}
