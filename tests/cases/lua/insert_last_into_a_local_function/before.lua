local f = function()
  a()
end
