for i = 1, 2 do
end
do end
