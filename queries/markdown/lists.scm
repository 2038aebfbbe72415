; No commas set the members of a Markdown list apart.
