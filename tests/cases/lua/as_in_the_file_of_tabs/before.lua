local function a()
	if b then
		return 1
	end
end
