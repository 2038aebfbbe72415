begin
  run
rescue A, B
  1
end
