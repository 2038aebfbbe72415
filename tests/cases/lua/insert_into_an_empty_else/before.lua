if a then
  c()
else
end
