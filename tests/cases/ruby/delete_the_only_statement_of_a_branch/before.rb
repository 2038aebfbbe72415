if x
  # Say it.
  warn x
end
