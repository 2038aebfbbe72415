def b
  <<~TEXT
    a
  TEXT
end
