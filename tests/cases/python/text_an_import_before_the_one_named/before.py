from .response import Response
from .compat import quote


def fetch():
    return Response(quote("a"))
