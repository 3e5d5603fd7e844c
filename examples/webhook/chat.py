#!/usr/bin/env python3
"""Receives notifications of Steadfast and posts them to a chat: Slack, Mattermost, Rocket.Chat, or any other that takes
{"text": ...} at an incoming webhook. Python's standard library only.

  WEBHOOK_SECRET=whsec_... CHAT_URL=https://chat/hooks/... examples/webhook/chat.py --listen 127.0.0.1:8090

It takes only what is signed with the secret and at most five minutes old, and posts each notification once: the node
sends again what was not answered with 200. It answers so only when the chat has taken it, so that nothing is lost. What
it has posted it knows as long as it runs: after its restart the chat may get one twice."""

import argparse
import base64
import collections
import hashlib
import hmac
import http.server
import json
import os
import sys
import threading
import time
import urllib.request

OLDEST = 300  # seconds
KNOWN_MAX = 10_000


def is_signed(secret, headers, body):
    """As https://www.standardwebhooks.com says."""
    moment = headers.get("webhook-timestamp", "")
    if not moment.isdigit() or abs(time.time() - int(moment)) > OLDEST:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    text = f"{headers.get('webhook-id', '')}.{moment}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(key, text, hashlib.sha256).digest()).decode()
    return any(hmac.compare_digest(expected, s) for s in headers.get("webhook-signature", "").split())


def words(told):
    """One line for people."""
    data, kind = told["data"], told["type"]
    about = "/".join(x for x in (data.get("workflow"), data.get("step")) if x)
    where = ", ".join(x for x in (about, data.get("task") and f"task {data['task']}") if x)
    text, cause = data.get("text", ""), data.get("cause", "")
    if cause not in text:
        text += f": {cause}"
    if kind.startswith("task."):
        return f"Task {data['task']} of {about} is {data['state']}" + (f": {data['cause']}" if data["cause"] else "")
    if kind == "incident.opened":
        first = f"; first seen with task {data['task']}" if data["task"] else ""
        return f"Incident {data['incident']}{about and f' ({about})'}: {text}{first}"
    if kind == "incident.over":
        tasks = "1 task" if data["tasks"] == 1 else f"{data['tasks']} tasks"
        return f"Incident {data['incident']}{about and f' ({about})'} is over; it affected {tasks}"
    if kind == "alert.raised":
        return f"Alert {data['alert']} ({data['kind']}){where and f' at {where}'}: {text}"
    return "Steadfast can reach this chat"


class Receiver(http.server.BaseHTTPRequestHandler):
    secret = chat = ""
    known = collections.OrderedDict()
    lock = threading.Lock()

    def do_POST(self):
        body = self.rfile.read(min(int(self.headers.get("Content-Length", 0)), 1 << 20))
        self.send_response(self.answer(body))
        self.send_header("Content-Length", "0")
        self.end_headers()

    def answer(self, body):
        if not is_signed(self.secret, self.headers, body):
            return 401
        name = self.headers["webhook-id"]
        with self.lock:  # one at a time, so that two deliveries of one notification are one message
            if name not in self.known:
                try:
                    post(self.chat, {"text": words(json.loads(body))})
                except OSError as e:
                    print(f"{name}: the chat did not take it: {e}", file=sys.stderr)
                    return 502
                self.known[name] = True
                if len(self.known) > KNOWN_MAX:
                    self.known.popitem(last=False)
        return 200

    def log_message(self, *_):
        pass


def post(url, message):
    request = urllib.request.Request(url, json.dumps(message).encode(), {"Content-Type": "application/json"})
    urllib.request.urlopen(request, timeout=10).close()


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--listen", default="127.0.0.1:8090", help="host:port")
    host, port = options.parse_args().listen.rsplit(":", 1)
    Receiver.secret, Receiver.chat = os.environ["WEBHOOK_SECRET"], os.environ["CHAT_URL"]
    server = http.server.ThreadingHTTPServer((host, int(port)), Receiver)
    print(f"listening at {host}:{server.server_port}", file=sys.stderr)
    server.serve_forever()


if __name__ == "__main__":
    main()
