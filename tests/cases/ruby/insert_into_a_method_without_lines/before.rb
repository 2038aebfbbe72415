def later(time)
end
