local function a()
  -- Says b.
  b()
  c()
end
