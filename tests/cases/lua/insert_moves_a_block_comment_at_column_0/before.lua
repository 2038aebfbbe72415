do
  if x then
    a()
  end
end
