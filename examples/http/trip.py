#!/usr/bin/env python3
"""Submits a task over HTTP, follows it until it has ended, and prints what became of it.

usage: trip.py URL ID            (the token, if the node wants one, is in $STEADFAST_TOKEN)
"""
import json, os, ssl, sys, time, urllib.error, urllib.parse, urllib.request

url, task = sys.argv[1].rstrip("/"), sys.argv[2]
path = f"{url}/v1/tasks/{urllib.parse.quote(task, safe='')}"
token = os.environ.get("STEADFAST_TOKEN")


def ask(method, target, body=None, **headers):
    """The answer; pushed back or without one, it asks again: the id makes that safe."""
    if token:
        headers["Authorization"] = "Bearer " + token
    request = urllib.request.Request(target, body and json.dumps(body).encode(), headers, method=method)
    while True:
        try:
            return urllib.request.urlopen(request, timeout=75)
        except urllib.error.HTTPError as e:
            if e.code not in (429, 503, 504):
                is_problem = e.headers.get_content_type() == "application/problem+json"
                sys.exit(json.load(e)["detail"] if is_problem else f"{target}: {e}")
            time.sleep(float(e.headers.get("Retry-After", 1)))
        except OSError as e:  # no connection
            lost(e)


def lost(e):
    """Another try may do, but for a certificate that does not fit, and where nothing speaks TLS."""
    why = getattr(e, "reason", e)
    if isinstance(why, ssl.SSLError) and not isinstance(why, ssl.SSLEOFError):
        sys.exit(f"{url}: {why}")
    print(f"{e}; trying again", file=sys.stderr)
    time.sleep(1)


def states(target):
    """Each state of the task, once, also when the connection is lost on the way."""
    seen = {}
    while (answer := ask("GET", target, **seen)).status != 204:  # then it has ended, and that was seen
        try:
            for line in answer:
                name, _, value = line.decode().rstrip("\n").partition(": ")
                if name == "id":
                    seen = {"Last-Event-ID": value}
                elif name == "data":
                    yield json.loads(value)["task"]
        except OSError as e:
            lost(e)


trip = {"workflow": "trip", "payload": {"guest": "Ada", "nights": 2, "taxi": False}}
print("made" if ask("PUT", path, trip).status == 201 else "it was there")
for state in states(path + "/events"):
    print(state["process_state"], "".join(f"  {s['name']} {s['state']}" for s in state["steps"]))
