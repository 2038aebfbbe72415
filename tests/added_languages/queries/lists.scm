; A comma separates arguments and parameters.

[(arguments) (parameters)] @list
