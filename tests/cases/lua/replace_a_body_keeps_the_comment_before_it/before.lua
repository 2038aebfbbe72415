function f()
  -- keep me
  local a = 1
  return a
end
