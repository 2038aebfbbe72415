; Nothing keeps its bytes when text is re-indented: a fence in a list item stands as deep as the item.
