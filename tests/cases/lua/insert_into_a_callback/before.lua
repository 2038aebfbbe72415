it("a", function()
end)
