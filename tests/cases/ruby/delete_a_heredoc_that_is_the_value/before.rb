def b
  a
  <<~T
    x
  T
end
