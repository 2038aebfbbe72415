# Typed: what the user typed. The license of a font, and its coding: none.
def read(text)
  text.strip
end

def write(text)
  text
end
