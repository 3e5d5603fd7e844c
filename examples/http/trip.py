#!/usr/bin/env python3
"""Submits a task over HTTP, follows it until it has ended, and prints what became of it.

usage: trip.py URL ID            (the token, if the node wants one, is in $STEADFAST_TOKEN)
"""
import json, os, sys, time, urllib.error, urllib.parse, urllib.request

url, task = sys.argv[1].rstrip("/"), sys.argv[2]
path = f"{url}/v1/tasks/{urllib.parse.quote(task, safe='')}"


def ask(method, target, body=None, **headers):
    """The answer; pushed back or without one, it asks again: the id makes that safe."""
    if token := os.environ.get("STEADFAST_TOKEN"):
        headers["Authorization"] = "Bearer " + token
    data = None if body is None else json.dumps(body).encode()
    while True:
        try:
            return urllib.request.urlopen(urllib.request.Request(target, data, headers, method=method), timeout=75)
        except urllib.error.HTTPError as e:
            if e.code not in (429, 503, 504):
                sys.exit(json.load(e)["detail"])
            time.sleep(float(e.headers.get("Retry-After", 1)))
        except OSError as e:  # no connection
            print(f"{e}; trying again", file=sys.stderr)
            time.sleep(1)


def events(target):
    """Each state of the task, once, also when the connection is lost on the way."""
    seen = {}
    while True:
        answer = ask("GET", target, **seen)
        if answer.status == 204:  # it has ended, and that was seen
            return
        try:
            for line in answer:
                name, _, value = line.decode().rstrip("\n").partition(": ")
                if name == "id":
                    seen = {"Last-Event-ID": value}
                elif name == "data":
                    yield json.loads(value)["task"]
        except OSError as e:
            print(f"{e}; trying again", file=sys.stderr)


trip = {"workflow": "trip", "payload": {"guest": "Ada", "nights": 2, "taxi": False}}
print("made" if ask("PUT", path, trip).status == 201 else "it was there")
for state in events(path + "/events"):
    print(state["process_state"], "".join(f"  {s['name']} {s['state']}" for s in state["steps"]))
