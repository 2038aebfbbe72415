# The orders of a small shop.
defmodule Shop.Order do
  @moduledoc """
  An order, and what is in it.
  """

  use GenServer
  import Ecto.Query, only: [from: 2]
  alias Shop.{Cart, Price}

  @behaviour Shop.Payable
  @limit 20
  @rate 1.19e0

  defstruct [:customer, lines: [], note: nil, paid?: false]

  @type t :: %__MODULE__{customer: String.t(), lines: [line()]}
  @typep line() :: {atom, integer}
  @callback pay(t, integer) :: :ok | {:error, term}

  @doc """
  Adds a line.

      iex> add(order, :tea, 2)
  """
  @spec add(t, atom, integer) :: t
  def add(order, product, count \\ 1)

  def add(%__MODULE__{lines: lines} = order, product, count) when count > 0 do
    %{order | lines: [{product, count} | lines]}
  end

  def add(order, _product, _count), do: order

  def total(order) do
    order.lines
    |> Enum.map(fn
      {:tea, count} -> count * 450
      {_, count} when count > 10 ->
        count * 400

      _ ->
        0
    end)
    |> Enum.sum()
  rescue
    error in ArithmeticError -> {:error, error}
  catch
    :exit, reason -> reason
  else
    sum -> sum * @rate
  after
    IO.puts("done")
  end

  defp label(order) do
    name = order.customer || 'nobody'
    sign = ?a
    "#{name}\t(#{length(order.lines)})" <> ~s(end) <> ~S"""
    raw
    """
    |> String.replace(~r/x+/iu, "y")
  end

  defmacro unless_paid(order, do: block) do
    quote do
      if !unquote(order).paid?, do: unquote(block), else: :"is paid"
    end
  end

  defguard is_tea(name) when name == :tea and not is_nil(name)

  def left <~> right, do: {left, right}

  def size(<<head::8, _rest::binary>>), do: head

  def sizes(map), do: Enum.map(map["sizes"], &(&1 + 1)) ++ [size: 1, "other size": 2, a: 0x1F..9]

  def call(fun), do: fun.(nil, true, &Kernel.+/2, ...)

  def pick(order) do
    if order.paid? do
      (1; 2)
    else
      %{"tea" => 1, :cup => 2}
    end
  end
end

defimpl String.Chars, for: Shop.Order do
  def to_string(order), do: order.customer
end
