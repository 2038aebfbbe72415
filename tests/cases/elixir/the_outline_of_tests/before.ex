defprotocol Shop.Priced do
  @fallback_to_any true
  def price(thing)
end

defimpl Shop.Priced do
  def price(_), do: 'free'
end

defmodule Shop.Kinds do
  def zero, do: %{}
  def all when true, do: {:tea, <<1, 2>>}
  defmacro once, do: %{"a" => 1, b: ~s(c)}
  defmacro twice(x), do: :"a b"

  def run(fun) do
    try do
      fun.(1, 2)
      fn x -> x["a"] end
    catch
      :exit, _ -> (1; 2)
    else
      _ -> 1.5
    after
      IO.puts("done" <> ?a)
    end
  end

  def sql, do: ~S"""
    select 1
  """

  def name, do: '''
  a
  '''
  @type both :: true | nil
end

defmodule Shop.KindsTest do
  use ExUnit.Case

  describe "zero" do
    @tag :slow
    test "is empty" do
      assert Shop.Kinds.zero() == %{}
    end
  end
end
