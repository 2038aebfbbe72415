class A
  # Old docs.
  def a
    text = <<-OLD
  kept
    OLD
    b(text)
  end
end
