using Test

@testset "sums" begin
    @test total([1], 1) == 1
end

@testset "labels" begin
    label = "a"
end
