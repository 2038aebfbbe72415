#!/usr/bin/env lua
local json = require("json")
local M = {}

local defaults = {
  limit = 20,
  names = { "tea", "cup" },
  -- How it is shown.
  format = "%d of %d", -- count, limit
  done = function(count)
    return count >= 20
  end,
}

--- Adds a product.
-- @param product table
function M.add(product, count, note)
  if count <= 0 then
    return nil, "none"
  end
  M.lines[product] = count
end

function M:total() return 0 end

-- Says it.
local function report(text)
  print([[
  Report:
    ]] .. text)
end

local function later()
end

M.describe = function(order)
  report(json.encode(order))
end

return M
