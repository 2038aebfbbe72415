if a
  # keep me
  b
end
