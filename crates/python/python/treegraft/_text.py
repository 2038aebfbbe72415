"""The functions of the module: they work on text, and read and write no file."""

from __future__ import annotations

from ._answers import LanguageList, NodeTypes
from ._native import languages as native_languages
from ._native import node_types as native_node_types
from ._refusal import Refusal


def languages() -> LanguageList:
    """Lists the languages that are built in.

    >>> "rust" in [language.name for language in languages().languages]
    True
    """
    return LanguageList.from_json(native_languages())


def node_types(language: str) -> NodeTypes:
    """Lists the node types of a language, each with an example and its general words.

    >>> "pair" in [one.node_type for one in node_types("json").node_types]
    True

    Raises:
        Refusal: The language is not built in (`unknown_language`).
    """
    answer, refusal = native_node_types(language)
    if refusal is not None:
        raise Refusal(answer["error"], refusal)
    return NodeTypes.from_json(answer)
