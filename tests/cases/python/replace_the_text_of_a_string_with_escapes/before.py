x = """
  a\n
  b
"""
