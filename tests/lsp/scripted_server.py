#!/usr/bin/env python3
"""A language server that a test controls: scripted_server.py MODE [name=value ...]

Its default answers are arbitrary; its modes are the ways in which real servers fail. It reports what
it received: `scripted/text` returns the text that it has for a document, `scripted/heard` all received
messages, `scripted/answers` the answers to its own requests.

Settings:

encoding=utf-8    declares this encoding in its capabilities
folders=yes       supports workspace folders
sync=1            receives whole texts
pulls=yes         supports diagnostics requests
answers=FILE      reads JSON from FILE: adds its `capabilities` to the default ones, and answers each other
                  method in it with its value; does not answer for `silence`, and exits for `end`
touches=FILE      changes FILE before it answers a formatting request
indexing=yes      reports that it indexes the project, and never that it is done
memory=MB         uses this much memory
child=FILE        starts a process that outlives it, and writes its process id to FILE
stranger=SECONDS  starts a process in its own group that keeps the pipes open for this long
"""
import json
import os
import re
import signal
import subprocess
import sys
import time

MODE = sys.argv[1]
SETTINGS = dict(argument.split("=", 1) for argument in sys.argv[2:])
INPUT, OUTPUT = sys.stdin.buffer, sys.stdout.buffer

HEADER = {
    "lower_case_header": b"content-length:%d\r\n\r\n",
    "content_type_header": b"Content-Length: %d\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n",
    "bare_line_ends": b"Content-Length: %d\n\n",
}.get(MODE, b"Content-Length: %d\r\n\r\n")

texts = {}
heard = []
answers = {}
definitions = 0
used = b""


def write(data):
    OUTPUT.write(data)
    OUTPUT.flush()


def send(message):
    if MODE != "no_version":
        message = {"jsonrpc": "2.0", **message}
    body = json.dumps(message, ensure_ascii=False).encode()
    write(HEADER % len(body) + body)


def say(method, params):
    send({"method": method, "params": params})


def receive():
    """Returns the next message, or None at the end of the input."""
    length = None
    while True:
        line = INPUT.readline()
        if not line:
            return None
        if line.strip() == b"":
            break
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    return json.loads(INPUT.read(length))


def offset_of(text, place):
    """Converts a position of the protocol to an offset in a text, in characters."""
    starts = [0] + [found.end() for found in re.finditer("\r\n|\r|\n", text)]
    at = starts[place["line"]]
    left = place["character"]
    while left > 0:
        encoded = text[at].encode("utf-16-le" if encoding() == "utf-16" else encoding())
        left -= len(encoded) // {"utf-8": 1, "utf-16": 2}[encoding()]
        at += 1
    return at


def encoding():
    return SETTINGS.get("encoding", "utf-16")


def change(uri, one):
    if "range" not in one:
        texts[uri] = one["text"]
        return
    text = texts[uri]
    start = offset_of(text, one["range"]["start"])
    end = offset_of(text, one["range"]["end"])
    texts[uri] = text[:start] + one["text"] + text[end:]


def initialize(message):
    if "memory" in SETTINGS:
        global used
        used = b"x" * (int(SETTINGS["memory"]) << 20)
    if MODE == "slow_start":
        time.sleep(600)
    if MODE == "ends_at_start":
        sys.stderr.write("error: unknown option --lsp\n")
        sys.exit(1)
    if MODE == "refuses_to_start":
        send({"id": message["id"], "error": {"code": -32002, "message": "no licence"}})
        return
    capabilities = {
        "definitionProvider": True,
        "textDocumentSync": {"openClose": True, "change": int(SETTINGS.get("sync", 2)), "save": True},
    }
    if "encoding" in SETTINGS:
        capabilities["positionEncoding"] = encoding()
    if "folders" in SETTINGS:
        capabilities["workspace"] = {"workspaceFolders": {"supported": True}}
    capabilities |= prepared().get("capabilities", {})
    if "pulls" in SETTINGS:
        capabilities["diagnosticProvider"] = {"interFileDependencies": True, "workspaceDiagnostics": False}
    send({"id": message["id"], "result": {"capabilities": capabilities, "serverInfo": {"name": "scripted"}}})


def prepared():
    if "answers" not in SETTINGS:
        return {}
    with open(SETTINGS["answers"], encoding="utf-8") as file:
        return json.load(file)


def definition(message):
    global definitions
    definitions += 1
    request, uri = message["id"], message["params"]["textDocument"]["uri"]
    place = {"uri": uri, "range": {"start": {"line": 1, "character": 2}, "end": {"line": 1, "character": 3}}}
    answer = {"id": request, "result": [place]}
    if MODE == "first_unanswered" and definitions == 1:
        return
    if MODE == "dies_at_second" and definitions == 2:
        sys.stderr.write("panicked at the second question\n")
        sys.stderr.flush()
        os._exit(3)
    if MODE == "closes_output" and definitions == 1:
        os.close(1)
        time.sleep(600)
    if MODE == "unknown_notification":
        say("custom/status", {"x": 1})
    if MODE == "error_without_id":
        send({"id": None, "error": {"code": -32700, "message": "cannot be parsed"}})
    if MODE == "bad_json":
        write(b"Content-Length: 5\r\n\r\n{{{{{")
    if MODE == "only_bad_json":
        write(b"Content-Length: 5\r\n\r\n{{{{{")
        return
    if MODE == "asks_under_our_id":
        send({"id": request, "method": "workspace/configuration", "params": {"items": [{"section": "a.b"}, {}]}})
    if MODE == "unknown_request":
        send({"id": "zz", "method": "custom/ask", "params": {}})
    if MODE == "floods_complaints":
        for _ in range(4096):
            sys.stderr.write("E" * 1023 + "\n")
        sys.stderr.write("the last words\n")
        sys.stderr.flush()
    if MODE == "many_locations":
        answer["result"] = answer["result"] * 400_000
    if MODE == "floods_notifications":
        for number in range(20_000):
            say("window/logMessage", {"type": 3, "message": f"m{number}"})
    if MODE == "wrong_shape":
        answer["result"] = [{"uri": uri}]
    if MODE == "result_and_error_null":
        answer = {"id": request, "result": None, "error": None}
    if MODE == "fraction_code":
        answer = {"id": request, "error": {"code": -32801.0, "message": "content modified"}}
    if MODE == "modified_once" and definitions == 1:
        answer = {"id": request, "error": {"code": -32801, "message": "content modified"}}
    if MODE == "null_result":
        answer["result"] = None
    if MODE == "too_large":
        write(b"Content-Length: 99999999999\r\n\r\n")
        return
    if MODE == "dribbles":
        body = json.dumps(answer).encode()
        for byte in b"Content-Length: %d\r\n\r\n" % len(body) + body:
            write(bytes([byte]))
        return
    if MODE == "bad_utf8":
        body = json.dumps(answer).encode().replace(b'"range"', b'"x\xff": 1, "range"')
        write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        return
    send(answer)


def execute(message):
    edit = {"changes": {"file:///a": []}}
    send({"id": "edit", "method": "workspace/applyEdit", "params": {"edit": edit}})
    send({"id": message["id"], "result": None})


def tell_state(message):
    """Reports the indexing state that the test requests."""
    what = message["params"]["what"]
    if what in ("begin", "end"):
        value = {"kind": what, "title": "Indexing", "message": "1/2", "percentage": 50}
        say("$/progress", {"token": message["params"].get("token", "index"), "value": value})
    elif what == "announce":
        say(message["params"]["method"], {})
    elif what == "log":
        say("window/logMessage", {"type": 3, "message": message["params"]["message"]})
    else:
        say("experimental/serverStatus", message["params"]["status"])
    send({"id": message["id"], "result": None})


def tell_diagnostics(message):
    say("textDocument/publishDiagnostics", message["params"])
    send({"id": message["id"], "result": None})


def publish_early(method, document):
    """Publishes no diagnostics while it reads the project, and the right ones for a later version."""
    place = {"line": 0, "character": 0}
    item = {"range": {"start": place, "end": place}, "message": f"of version {document['version']}"}
    if method == "textDocument/didOpen":
        report = {"uri": document["uri"], "diagnostics": []}
        if SETTINGS["early"] == "versioned":
            report["version"] = document["version"]
        say("textDocument/publishDiagnostics", report)
    else:
        say("textDocument/publishDiagnostics", {**document, "diagnostics": [item]})


def diagnose(message):
    place = {"line": 0, "character": 0}
    item = {"range": {"start": place, "end": place}, "message": texts[message["params"]["textDocument"]["uri"]]}
    send({"id": message["id"], "result": {"kind": "full", "items": [item]}})


def watch(message):
    watchers = [{"globPattern": pattern} for pattern in message["params"]["patterns"]]
    one = {"id": "w", "method": "workspace/didChangeWatchedFiles", "registerOptions": {"watchers": watchers}}
    send({"id": "watch", "method": "client/registerCapability", "params": {"registrations": [one]}})
    send({"id": message["id"], "result": None})


def take(message):
    method, params = message.get("method"), message.get("params")
    if method is None:
        answers[str(message["id"])] = message.get("result", message.get("error"))
        return
    heard.append([method, params])
    if "early" in SETTINGS and method in ("textDocument/didOpen", "textDocument/didChange"):
        document = params["textDocument"]
        publish_early(method, {name: document[name] for name in ("uri", "version")})
    if "answers" in SETTINGS:
        with open(SETTINGS["answers"] + ".heard", "a", encoding="utf-8") as file:
            file.write(json.dumps([method, params]) + "\n")
    if method in prepared():
        answer = prepared()[method]
        if answer == "silence":
            return
        if answer == "end":
            os._exit(3)
        if SETTINGS.get("touches") and method == "textDocument/formatting":
            # Another program changes the file before the answer arrives.
            with open(SETTINGS["touches"], "r+", encoding="utf-8") as file:
                text = file.read()
                file.seek(0)
                file.write("# Another line.\n" + text)
        send({"id": message["id"], "result": answer})
    elif method == "textDocument/didOpen":
        texts[params["textDocument"]["uri"]] = params["textDocument"]["text"]
    elif method == "textDocument/didChange":
        for one in params["contentChanges"]:
            change(params["textDocument"]["uri"], one)
    elif method == "textDocument/didClose":
        del texts[params["textDocument"]["uri"]]
    elif method == "initialize":
        initialize(message)
    elif method == "shutdown":
        if MODE != "no_answer_to_shutdown":
            send({"id": message["id"], "result": None})
    elif method == "exit":
        if MODE == "stays_after_exit":
            time.sleep(600)
        sys.exit(0)
    elif method == "initialized":
        if "indexing" in SETTINGS:
            say("$/progress", {"token": "index", "value": {"kind": "begin", "title": "Indexing"}})
        if MODE == "deaf":
            # Stops reading, so that its input buffer fills up.
            time.sleep(600)
    elif method == "textDocument/definition":
        definition(message)
    elif method == "textDocument/diagnostic":
        diagnose(message)
    elif method == "workspace/executeCommand":
        execute(message)
    elif method == "scripted/state":
        tell_state(message)
    elif method == "scripted/diagnostics":
        tell_diagnostics(message)
    elif method == "scripted/watch":
        watch(message)
    elif method == "scripted/text":
        send({"id": message["id"], "result": texts.get(params["uri"])})
    elif method == "scripted/heard":
        send({"id": message["id"], "result": heard})
    elif method == "scripted/busy":
        send({"id": message["id"], "error": {"code": -32803, "message": "at work"}})
    elif method == "scripted/silence":
        return
    elif method == "scripted/answers":
        send({"id": message["id"], "result": answers})
    elif "id" in message:
        send({"id": message["id"], "error": {"code": -32601, "message": f"{method} is unknown"}})


def main():
    if MODE == "ignores_signals":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if "child" in SETTINGS:
        # Exits by itself in any case, even if a test fails.
        quiet = {"stdin": subprocess.DEVNULL}
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], **quiet)
        with open(SETTINGS["child"], "w") as file:
            file.write(str(child.pid))
    if "stranger" in SETTINGS:
        sleep = f"import time; time.sleep({SETTINGS['stranger']})"
        subprocess.Popen([sys.executable, "-c", sleep], start_new_session=True)
    if MODE == "banner":
        write(b"Starting the server...\n")
    if MODE == "banner_without_end":
        write(b"WARN: something\r\nand more ")
    while True:
        message = receive()
        if message is None:
            if MODE == "ignores_signals":
                time.sleep(600)
            sys.exit(0)
        take(message)


main()
