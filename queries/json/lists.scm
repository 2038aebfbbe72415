; Lists whose members are set apart by commas that belong to the list, not to the members.

[(array) (object)] @list
