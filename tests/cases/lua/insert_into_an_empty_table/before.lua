local t = {}
