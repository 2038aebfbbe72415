case x
when 1
  a
when 2
  b
else
  d
end
