each do |x|
end
