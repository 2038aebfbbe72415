#!/usr/bin/env julia
#= The orders
   of a small shop. =#
module Shop

export Order, add!, @checked
public total
import Base: show, +
import Statistics as Stats
using LinearAlgebra, ..Prices.Taxes
using .Prices: rate as tax

const LIMIT = 20
const Names = Vector{String}
global count = 0x1f

"Anything that can be sold."
abstract type Thing end
primitive type Small <: Integer 8 end

"""
    Order(customer)

An order, and what is in it.
"""
mutable struct Order{T<:Real} <: Thing
    "Who pays."
    customer::String
    lines::Vector{T}
    note

    Order(customer) = new{Float64}(customer, [], nothing)
end

@enum Payment cash card

"""
Adds a line.
"""
function add!(order::Order{T}, price::T; times=1, rest...)::Order where {T<:Real}
    for _ in 1:times
        push!(order.lines, price)
    end
    return order
end

@inline function total(order; rate = 1.19e0)
    sum = 0.0
    for (index, price) in enumerate(order.lines), extra in (1, 2)
        if price < 0
            continue
        elseif price > 100 && index != 3
            break
        else
            sum += price * rate
        end
    end
    while sum > 1_000
        local half = sum / 2
        sum = half
    end
    sum
end

Base.length(order::Order) = length(order.lines)
Base.:+(a::Order, b::Order) = merge(a, b)
area(w, h)::Float64 = w * h

macro checked(expression)
    quote
        $(esc(expression)) > 0 || error("no: $expression\n")
    end
end

function read_all(paths)
    map(paths) do path
        open(path, "r")
    end
    try
        parse.(Int, split(`cat $paths`, ','))
    catch problem
        @warn "failed" problem
    finally
        close(stdout)
    end
end

function label(order)
    name = order.customer
    short = let n = 3, m = 4
        name[1:n]
    end
    pair = (; name, count = 1, )
    point = (x = 1, y = 2)
    first, second = 1, 2
    matrix = [1 2; 3 4]'
    squares = [x^2 for x in 1:10 if isodd(x)]
    both = begin
        2matrix
    end
    double = x -> 2x
    text = raw"C:\dir" * """
        A longer
        text with $(name).
        """
    run(`ls`); run(custom`x`)
    symbol = :name
    kind = isempty(name) ? :none : 'a'
    add!(order, squares...; times = -1)
    f(::Int) = !true
    Dict("a" => 1, "b" => both, "c" => double, "d" => {1})
end

function pick end

Base.@kwdef struct Settings
    rate = 1.19
    limit::Int = 20
    function Settings(rate)
        new(rate, 20)
    end
end

const Prices{T} = Vector{T}
const seen::Int = 0
twice = function (x)
    2x
end
thrice = (x, y) -> 3x * y
names = ["tea", "milk"]
sizes(x::T) where {T} = sizeof(x)
Base.size(x::T) where {T} = sizeof(x)

function Base.first(order)
    if isempty(order)
        error("empty")
    end
    begin
        push!(order, 1)
    end
    while true
        shift!(order)
    end
end

function Base.last(order)::Int
    1
end

function Base.keys(x::T) where {T}
    x
end

function Base.values(x::T)::Int where {T}
    x
end

register(Order)

end # module

using .Shop

"The order of today."
today = Shop.Order("a")

"Yesterday's."
yesterday(x) = x

each = x -> x

println(today)

@doc raw"""
A number, ``x^2``.
"""
function square(x)
    x^2
end
