defmodule A do
  defmodule B do
    def a, do: """
  shallow
      deep
    """
  end
end
