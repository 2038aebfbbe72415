-- luacheck: globals shop
-- Opens the shop.
function first()
end

function second()
end
