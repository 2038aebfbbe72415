function f()
    a()
end
