defmodule Shop.Order do
  @moduledoc """
  An order, and what is in it.
  """

  use GenServer
  alias Shop.{Cart, Price}

  @limit 20

  defstruct [:customer, lines: [], paid?: false]

  @type t :: %__MODULE__{customer: String.t()}
  @typep line() :: {atom, integer}
  @callback pay(t, integer) :: :ok

  @doc """
  Adds a line.

      iex> add(order, :tea, 2)
  """
  @spec add(t, atom, integer) :: t
  def add(order, product, count \\ 1)

  def add(%{lines: lines} = order, product, count) when count > 0 do
    %{order | lines: [{product, count} | lines]}
  end

  def add(order, _product, _count), do: order

  # What is to be paid.
  def total(order) do
    order.lines
    |> Enum.map(fn
      {:tea, count} -> count * 450
      {_, count} -> count * 400
    end)
    |> Enum.sum()
  rescue
    error in ArithmeticError -> {:error, error}
  end

  @impl true
  def init(state) do
    case Cart.load(state, [:tea, :cup], limit: @limit, strict: true) do
      {:ok, cart} ->
        {:ok, cart}

      :error ->
        {:stop, :empty}
    end
  end

  def reset(_order) do
  end

  defp label(order), do: "#{order.customer}\t(end)"

  defmacro unless_paid(order, do: block) when is_list(block) do
    quote do: unquote(order)
  end

  defguard is_tea(name) when name == :tea
end

defimpl String.Chars, for: Shop.Order do
  def to_string(order), do: order.customer
end
