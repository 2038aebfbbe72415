def fetch(session):
    while True:
        try:
            return session.get()
        except Timeout as error:
            if error.is_final:
                raise
                log(error)
            wait()
