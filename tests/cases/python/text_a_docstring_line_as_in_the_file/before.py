def send(request):
    """Sends it.

    :param request: what is sent.
    :rtype: Response
    """
    return request
