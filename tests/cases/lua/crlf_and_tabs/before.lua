local function a()
	return 1
end

local function b()
end
