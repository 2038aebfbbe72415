if a then
end
while a do end
