send(action, get())
