#!/usr/bin/env python3
"""Submits a task over HTTP, waits until it has ended, and prints what became of it.

usage: trip.py URL ID            (the token, if the node wants one, is in $STEADFAST_TOKEN)
"""
import http.client, json, os, ssl, sys, time, urllib.error, urllib.parse, urllib.request

path = f"{sys.argv[1].rstrip('/')}/v1/tasks/{urllib.parse.quote(sys.argv[2], safe='')}"
token = os.environ.get("STEADFAST_TOKEN")
headers = {"Authorization": f"Bearer {token}"} if token else {}
trip = {"workflow": "trip", "payload": {"guest": "Ada", "nights": 2, "taxi": False}}


def ask(method, target, body=None):
    """The answer. Where the node is busy or the answer is lost, it asks again: the id of the task makes that safe."""
    request = urllib.request.Request(target, body and json.dumps(body).encode(), headers, method=method)
    while True:
        try:
            with urllib.request.urlopen(request, timeout=75) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as e:
            is_problem = e.headers.get_content_type() == "application/problem+json"
            why, wait = json.load(e)["detail"] if is_problem else e, float(e.headers.get("Retry-After", 1))
            if e.code not in (408, 429, 503, 504):
                sys.exit(why if is_problem else f"{target}: {why}")
        except (OSError, http.client.HTTPException) as e:
            why, wait = getattr(e, "reason", e), 1
            if isinstance(why, ssl.SSLError) and not isinstance(why, ssl.SSLEOFError):
                sys.exit(f"{target}: {why}")  # such as a certificate that does not fit: another try would not help
        print(f"{why}; trying again", file=sys.stderr)
        time.sleep(wait)


print("made" if ask("PUT", path, trip)["created"] else "it was there")
while ask("GET", path + "/state?wait=60s")["process_state"] not in ("processed", "undone", "error"):
    pass  # it has not ended yet
task = ask("GET", path)["task"]
print(task["process_state"], "".join(f"  {step['name']} {step['state']}" for step in task["steps"]))
if task["process_state"] != "processed":
    sys.exit(f"because: {task['cause']}")
