; Lists: the separators between members belong to the list. An insertion adds them, a deletion removes them.

[(flow_sequence) (flow_mapping)] @list
