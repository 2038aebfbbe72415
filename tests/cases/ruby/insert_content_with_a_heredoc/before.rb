def a
  one
  two
end
