if a then
  b()
else
  d()
end
