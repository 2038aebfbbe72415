class A
	def a
		1
	end

	def b
	end
end
