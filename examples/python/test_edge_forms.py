"""Tests of edge_forms.py against a running service, through a proxy that fails on purpose.

Set URL, TOKEN, CLIENT_ID and CLIENT_SECRET to the service and to credentials with high limits. Then run
`python3 -m unittest`.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import http.client
import json
import os
import secrets
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable
from urllib.parse import urlsplit

from edge_forms import BatchError, Collection, EdgeForms, EdgeFormsError, verify_webhook

URL, TOKEN = os.environ["URL"], os.environ["TOKEN"]
CLIENT = {"client_id": os.environ["CLIENT_ID"], "client_secret": os.environ["CLIENT_SECRET"]}
FAULTS = ["429", "503", "500", "cut", "slow", "lost", "half"]
TIMEOUT = 1.0


class Between(ThreadingHTTPServer):
    """Forwards requests to the service. `faults` returns the fault of a request, or None.

    With `slow`, `lost` and `half`, the service has already processed the request. A fault can also be a response (a
    status and headers), or headers that the proxy adds to the service's response.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Passing)
        self.requests: list[tuple[str, str]] = []
        self.at: list[float] = []
        self.faults: Callable[[int, str], Any] = lambda index, method: None
        self.counting = threading.Lock()
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    def fault(self, method: str, path: str) -> Any:
        with self.counting:
            self.requests.append((method, path))
            self.at.append(time.monotonic())
            return self.faults(len(self.requests) - 1, method)


class _Passing(BaseHTTPRequestHandler):
    server: Between

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        fault = self.server.fault(self.command, self.path)
        if fault == "cut":
            return
        if fault in ("429", "500", "503"):
            fault = (int(fault), {"Retry-After": "0"})
        if isinstance(fault, tuple):
            problem = {"code": "rate_limited" if fault[0] == 429 else "try_again", "detail": "Fails on purpose."}
            return self.answer(fault[0], fault[1], json.dumps(problem).encode())
        service = http.client.HTTPConnection(urlsplit(URL).netloc)
        sent = {name: value for name, value in self.headers.items() if name != "Host"}
        service.request(self.command, self.path, body, sent)
        answer = service.getresponse()
        text = answer.read()
        service.close()
        told = ("ETag", "Idempotent-Replayed", "Idempotency-Key-Mismatch", "Repr-Digest", "Retry-After", "X-Request-Id")
        headers = {name: answer.headers[name] for name in told if name in answer.headers}
        if fault == "lost":
            return
        if fault == "slow":
            time.sleep(TIMEOUT * 1.5)
        if isinstance(fault, dict):
            headers.update(fault)
        self.answer(answer.status, headers, text, cut=fault == "half")

    do_POST = do_PATCH = do_PUT = do_DELETE = do_GET

    def answer(self, status: int, headers: dict[str, str], text: bytes, cut: bool = False) -> None:
        try:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text[: len(text) // 2] if cut else text)
        except OSError:
            pass  # The client has closed the connection.

    def log_message(self, *_: object) -> None:
        pass


FIELDS: list[dict[str, Any]] = [
    {"key": "code", "type": "text", "unique": True},
    {"key": "name", "type": "text"},
    {"key": "number", "type": "number", "integer": True},
]


def app(client: EdgeForms) -> str:
    """Creates an app for one test and returns its key."""
    key = f"py{secrets.token_hex(4)}"
    client.request("PUT", f"/apps/{key}/schema", {"fields": FIELDS})
    return key


class Calls(unittest.TestCase):
    def setUp(self) -> None:
        self.between = Between()
        self.addCleanup(self.between.server_close)
        self.addCleanup(self.between.shutdown)

    def client(self, **options: Any) -> EdgeForms:
        return EdgeForms(self.between.url, **{"token": TOKEN, "timeout": TIMEOUT, **options})

    def orders(self, **options: Any) -> Collection:
        return self.client(**options).records(app(EdgeForms(URL, token=TOKEN)))

    def fault(self, fault: Any, count: int = 1) -> None:
        self.between.faults = lambda index, method: fault if index < count else None

    def raised(self, call: Callable[[], Any]) -> EdgeFormsError:
        with self.assertRaises(EdgeFormsError) as caught:
            call()
        return caught.exception

    def test_stores_each_of_400_creates_once_despite_every_kind_of_failure(self) -> None:
        orders = self.orders(retries=20)
        # Every fourth request fails. All kinds of failure are equally frequent.
        self.between.faults = lambda index, method: None if index % 4 else FAULTS[index // 4 % len(FAULTS)]
        with ThreadPoolExecutor(16) as threads:
            made = list(threads.map(lambda number: orders.create({"number": number}), range(400)))
        self.assertEqual([each["data"]["number"] for each in made], list(range(400)))
        self.between.faults = lambda index, method: None
        stored = {each["id"]: each["data"]["number"] for each in orders.list()}
        self.assertEqual(sorted(stored.values()), list(range(400)))
        self.assertEqual(set(stored), {each["id"] for each in made})

    def test_applies_an_update_with_a_function_once_despite_each_failure(self) -> None:
        orders = self.orders()
        for fault in FAULTS:
            with self.subTest(fault):
                made = orders.create({"number": 1})
                posts = iter([fault])
                self.between.faults = lambda _, method: next(posts, None) if method == "POST" else None
                done = orders.update(made["id"], lambda item: {"number": item["data"]["number"] + 1})
                self.assertEqual((done["outcome"], done["item"]["data"]["number"]), ("updated", 2))
                self.assertEqual(done["item"]["version"], 2)

    def test_applies_all_simultaneous_updates_of_one_item(self) -> None:
        orders = self.orders(timeout=30)
        made = orders.create({"number": 0})
        increase = lambda _: orders.update(made["id"], lambda item: {"number": item["data"]["number"] + 1})
        with ThreadPoolExecutor(5) as threads:
            list(threads.map(increase, range(20)))
        self.assertEqual(orders.get(made["id"])["data"]["number"], 20)
        unchanged = orders.update(made["receipt_number"], lambda item: None)
        self.assertEqual((unchanged["outcome"], unchanged["id"]), ("unchanged", made["id"]))
        late = self.raised(lambda: orders.update(made["id"], {"number": 9}, if_match='"1"'))
        self.assertEqual((late.code, late.status), ("version_mismatch", 412))

    def test_stores_a_file_once_and_downloads_it_unchanged_despite_each_failure(self) -> None:
        direct = EdgeForms(URL, token=TOKEN)
        key = f"py{secrets.token_hex(4)}"
        direct.request("PUT", f"/apps/{key}/schema", {"fields": [{"key": "papers", "type": "files"}]})
        client = self.client()
        for fault in FAULTS:
            with self.subTest(fault):
                content = secrets.token_bytes(20_000)
                missing = {"POST", "PUT", "GET"}

                def first_of_each(_: int, method: str) -> Any:
                    if method not in missing:
                        return None
                    missing.remove(method)
                    return fault

                self.between.faults = first_of_each
                file = client.files.upload(content, collection=f"app:{key}", field="papers", name="a.bin")
                self.assertEqual((file["bytes"], file["sha256"]), (20_000, hashlib.sha256(content).hexdigest()))
                made = direct.records(key).create({"papers": [file]})
                self.assertEqual(client.files.download(made["data"]["papers"][0]), content)
                self.assertEqual(missing, set())
        self.assertEqual(client.files.get(file["id"])["name"], "a.bin")
        self.assertIn(file["id"], client.files.link(file["id"])["url"])
        unused = client.files.upload(b"unused", collection=f"app:{key}", field="papers", name="b.txt")
        self.fault("lost")
        client.files.delete(unused["id"])
        self.assertEqual(self.raised(lambda: client.files.get(unused["id"])).status, 404)

    def test_writes_once_for_each_key_and_raises_key_reused_for_another_body(self) -> None:
        orders = self.orders()
        made = orders.create({"code": "a"}, key="a")
        self.assertEqual(orders.create({"code": "a"}, key="a"), made)
        self.assertEqual(self.raised(lambda: orders.create({"code": "z"}, key="a")).code, "key_reused")
        for _ in range(2):
            named = orders.update(made["id"], {"name": "A"}, key="b")
            self.assertEqual((named["item"]["data"]["name"], named["item"]["version"]), ("A", 2))

    def test_writes_upserts_and_batches_once_despite_failures(self) -> None:
        orders = self.orders()
        self.fault("lost")
        self.assertEqual(orders.upsert("code", {"code": "c0", "name": "first"})["outcome"], "created")
        self.assertEqual(orders.upsert("code", {"code": "c0", "name": "second"})["item"]["data"]["name"], "second")
        operations = [{"op": "upsert", "by": "code", "data": {"code": f"c{at}", "number": at}} for at in range(250)]
        self.between.faults = lambda index, method: "lost" if index % 2 == 0 else None
        first = orders.batch(operations, key="import-7")
        again = orders.batch(operations, key="import-7")
        self.assertEqual([each["outcome"] for each in first], ["updated"] + ["created"] * 249)
        self.assertEqual([each["id"] for each in again], [each["id"] for each in first])
        self.between.faults = lambda index, method: None
        self.assertEqual([each["data"]["number"] for each in orders.list()], list(range(250)))
        shown = orders.batch(operations[:2], items=True)
        self.assertEqual([each["item"]["data"]["code"] for each in shown], ["c0", "c1"])
        self.assertEqual(orders.batch([]), [])

    def test_raises_the_results_before_a_rejected_part_and_the_position_of_its_error(self) -> None:
        orders = self.orders()
        operations = [{"op": "create", "data": {"number": "x" if at == 117 else at}} for at in range(250)]
        with self.assertRaises(BatchError) as caught:
            orders.batch(operations)
        error = caught.exception
        self.assertEqual((len(error.results), error.code, error.status), (100, "invalid_input", 422))
        told = [(each["field"], each["pointer"]) for each in error.errors]
        self.assertEqual(told, [("number", "/operations/117/data/number")])
        self.assertEqual(len(list(orders.list())), 100)

    def test_splits_batches_at_one_mebibyte_of_utf_8(self) -> None:
        orders = self.orders(timeout=30)
        text = {"name": "あ" * 900, "code": None}
        results = orders.batch([{"op": "create", "data": {**text, "number": at}} for at in range(100)])
        self.assertEqual((len(results), len(self.between.requests)), (100, 1))
        too_large = "あ" * 400_000
        error = self.raised(lambda: orders.batch([{"op": "create", "data": {"name": too_large}}]))
        self.assertEqual((error.code, error.status), ("too_large", 413))

    def test_resumes_an_iteration_at_a_stored_cursor_and_skips_nothing(self) -> None:
        orders = self.orders()
        now = orders.changes(cursor="now")
        self.assertEqual(list(now), [])
        codes = [f"c{at}" for at in range(130)]
        made = orders.batch([{"op": "create", "data": {"code": code}} for code in codes])
        seen = set()
        walk = orders.list(limit=40)
        for item in walk:
            seen.add(item["data"]["code"])
            if len(seen) == 100:
                break
        seen.update(item["data"]["code"] for item in orders.list(cursor=walk.cursor))
        self.assertEqual(seen, set(codes))
        search = {"conditions": [{"field": "code", "op": "starts_with", "value": "c1"}], "sort": [{"field": "code"}]}
        self.assertEqual(len(list(orders.search(search, limit=10))), 41)
        figures = orders.aggregate({"conditions": search["conditions"], "metrics": {"orders": {"op": "count"}}})
        self.assertEqual(figures, {"groups": [{"key": {}, "metrics": {"orders": 41}}], "truncated": False})
        changes = orders.changes(cursor=now.cursor, limit=50)
        self.assertEqual([each["id"] for each in changes], [each["id"] for each in made])
        first = made[0]["id"]
        kept = changes.cursor
        for name in ("1", "2"):
            orders.update(first, {"name": name})
        self.assertEqual(len(list(orders.changes(cursor=kept))), 1)
        self.assertEqual(len(list(orders.changes(cursor=kept, all=True, limit=1))), 2)
        list(changes)
        threading.Timer(0.3, lambda: orders.update(first, {"name": "later"})).start()
        followed = orders.changes(cursor=changes.cursor, every=0.1)
        self.assertEqual(next(iter(followed))["item"]["data"]["name"], "later")

    def test_creates_drafts_and_validates_and_deletes_submissions(self) -> None:
        fields = [{**FIELDS[0], "required": True}]
        EdgeForms(URL, token=TOKEN).request("PUT", "/forms/pyasks/schema", {"fields": fields})
        asks = self.client().submissions("pyasks")
        draft = asks.create({}, status="draft")
        self.assertEqual(asks.update(draft["id"], {"code": "x"}, status="submitted")["item"]["status"], "submitted")
        self.assertTrue(asks.validate({"code": "y"})["valid"])
        posts = iter(["lost"])
        self.between.faults = lambda _, method: next(posts, None) if method == "DELETE" else None
        asks.delete(draft["id"])
        self.assertEqual(self.raised(lambda: asks.delete(draft["id"])).code, "not_found")

    def test_delays_all_writes_but_no_reads_for_the_time_in_retry_after(self) -> None:
        orders = self.orders()
        made = orders.create({})
        self.between.faults = lambda index, _: (429, {"Retry-After": "1"}) if index == 1 else None
        with ThreadPoolExecutor(2) as threads:
            first = threads.submit(orders.create, {})
            while len(self.between.requests) < 2:
                time.sleep(0.005)
            time.sleep(0.05)
            second = threads.submit(orders.create, {})
            before = time.monotonic()
            orders.get(made["id"])
            self.assertLess(time.monotonic() - before, 0.9)
            first.result()
            second.result()
        others = [at for at, (method, _) in zip(self.between.at, self.between.requests) if method == "POST"]
        for later in others[2:]:
            self.assertGreaterEqual(later - others[1], 1)
        self.assertEqual(len(others), 4)

    def test_delays_writes_when_the_rate_limit_header_shows_no_quota(self) -> None:
        orders = self.orders()
        self.fault({"RateLimit": '"default";r=9;t=60, "write";r=0;t=1'})
        orders.create({})
        orders.create({})
        self.assertGreaterEqual(self.between.at[1] - self.between.at[0], 1)

    def test_raises_the_error_if_retry_after_exceeds_longest_wait(self) -> None:
        self.fault((429, {"Retry-After": "50"}), 9)
        error = self.raised(lambda: self.client(longest_wait=10).records("py").create({}))
        self.assertEqual((error.code, error.retry_after, len(self.between.requests)), ("rate_limited", 50, 1))

    def test_retries_an_unsafe_request_only_if_the_service_did_nothing(self) -> None:
        for fault in ("503", "500", "cut", "slow", "lost"):
            with self.subTest(fault):
                self.between.requests.clear()
                self.fault(fault, 9)
                error = self.raised(lambda: self.client().request("POST", "/webhooks", {}))
                self.assertEqual((len(self.between.requests), error.doubtful), (1, True))
        self.between.requests.clear()
        self.fault("429", 2)
        self.assertEqual(self.raised(lambda: self.client().request("POST", "/webhooks", {})).code, "invalid_input")
        self.assertEqual(len(self.between.requests), 3)

    def test_raises_the_last_error_after_all_retries(self) -> None:
        self.fault("cut", 9)
        error = self.raised(lambda: self.client(retries=2).records("py").get("rec_1"))
        self.assertEqual((error.code, error.status, error.doubtful), ("network_error", 0, True))
        self.assertEqual(len(self.between.requests), 3)
        self.between.faults = lambda index, method: "slow"
        late = self.raised(lambda: self.client(retries=0, timeout=0.2).records("py").get("rec_1"))
        self.assertEqual(late.code, "timeout")

    def test_raises_problems_with_code_errors_and_request_id(self) -> None:
        orders = self.orders()
        wrong = {"code": "w", "number": "x", "zz": 1}
        for call in (lambda: orders.create(wrong), lambda: orders.upsert("code", wrong)):
            error = self.raised(call)
            self.assertEqual((error.code, error.status), ("invalid_input", 422))
            named = {(each["field"], each["pointer"]) for each in error.errors}
            self.assertEqual(named, {("number", "/data/number"), ("zz", "/data/zz")})
            self.assertTrue(error.request_id)
            self.assertIn("number: ", str(error))

    def test_follows_no_redirect_to_another_address(self) -> None:
        self.fault((302, {"Location": "/else"}))
        error = self.raised(lambda: self.client().records("py").get("rec_1"))
        self.assertEqual((error.status, len(self.between.requests)), (302, 1))

    def test_fetches_one_access_token_for_all_threads_and_another_after_a_401(self) -> None:
        self.fault("cut")
        client = self.client(token=None, **CLIENT)

        def me(_: int) -> Any:
            return client.request("GET", "/me")["kind"]

        with ThreadPoolExecutor(4) as threads:
            self.assertEqual(list(threads.map(me, range(4))), ["client"] * 4)
        exchanges = [path for _, path in self.between.requests].count("/oauth/token")
        self.assertEqual(exchanges, 2)  # The first request got no response.
        self.between.requests.clear()
        self.between.faults = lambda index, _: (401, {}) if index == 0 else None
        self.assertEqual(me(0), "client")
        self.assertEqual([path for _, path in self.between.requests], ["/api/v1/me", "/oauth/token", "/api/v1/me"])
        wrong = self.client(token=None, client_id=CLIENT["client_id"], client_secret="efs_no")
        self.assertEqual(self.raised(lambda: wrong.request("GET", "/me")).code, "invalid_client")

    def test_rejects_an_empty_if_match_without_sending_a_request(self) -> None:
        submissions = self.client().submissions("purchase")
        delete = {"op": "delete", "id": "sub_1", "if_match": ""}
        for call in (
            lambda: submissions.update("sub_1", {"title": "a"}, if_match=""),
            lambda: submissions.update("sub_1", lambda item: {"title": "a"}, if_match=" "),
            lambda: submissions.delete("sub_1", if_match=""),
            lambda: submissions.batch([delete]),
            lambda: self.client().request("PATCH", "/submissions/sub_1", {}, headers={"If-Match": ""}),
        ):
            with self.assertRaisesRegex(ValueError, "is empty"):
                call()
        self.assertEqual(self.between.requests, [])

    def test_explains_a_wrong_address_and_a_refused_connection(self) -> None:
        for url, fault in (
            ("forms.example.com", "has no scheme such as https://"),
            ("ftp://forms.example.com", "is not an http or https address"),
            ("https://forms.example.com/api/v1/", "ends in /api/v1, which the client adds"),
        ):
            with self.assertRaisesRegex(ValueError, fault):
                EdgeForms(url, token="efp_x")
        client = EdgeForms("http://127.0.0.1:9", token="efp_x", retries=0)
        error = self.raised(lambda: client.records("orders").get("rec_1"))
        self.assertIn("The connection to http://127.0.0.1:9 failed: ", str(error))

    def test_rejects_invalid_options(self) -> None:
        options: list[dict[str, Any]] = [{"url": "ftp://x", "token": "efp_x"}, {"url": URL}]
        for wrong in [*options, {"url": URL, "client_id": "efc_x"}]:
            with self.assertRaises(ValueError):
                EdgeForms(**wrong)


SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
OTHER = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
BODY = b'{"type":"record.updated","timestamp":"2026-11-21T00:00:00Z","data":{"id":"rec_1"}}'


def signed(sent: str, by: str = SECRET) -> dict[str, str]:
    key = base64.b64decode(by.removeprefix("whsec_"))
    signature = base64.b64encode(hmac.new(key, f"msg_1.{sent}.".encode() + BODY, hashlib.sha256).digest()).decode()
    return {"webhook-id": "msg_1", "webhook-timestamp": sent, "webhook-signature": f"v1,{signature}"}


class Webhooks(unittest.TestCase):
    def setUp(self) -> None:
        self.now = str(int(time.time()))
        self.headers = signed(self.now)

    def test_returns_the_event_of_a_genuine_delivery_with_either_secret(self) -> None:
        several = f"v1a,zz v1,!! {signed(self.now, OTHER)['webhook-signature']} {self.headers['webhook-signature']}"
        for delivery in (
            (SECRET, self.headers, BODY),
            (SECRET, {name.title(): value for name, value in self.headers.items()}, BODY.decode()),
            ([OTHER, SECRET], self.headers, BODY),
            (SECRET, {**self.headers, "webhook-signature": several}, BODY),
        ):
            event = verify_webhook(*delivery)
            self.assertEqual((event["id"], event["type"], event["data"]["id"]), ("msg_1", "record.updated", "rec_1"))

    def test_accepts_the_example_of_the_standard_webhooks_libraries(self) -> None:
        headers = {
            "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
            "webhook-timestamp": "1614265330",
            "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
        }
        event = verify_webhook(SECRET, headers, '{"test": 2432232314}', tolerance=float("inf"))
        self.assertEqual(event["test"], 2432232314)

    def test_rejects_a_wrong_or_missing_body_id_time_secret_or_signature(self) -> None:
        for secret, headers, body in (
            (SECRET, self.headers, BODY + b" "),
            (SECRET, {**self.headers, "webhook-id": "msg_2"}, BODY),
            (SECRET, {**self.headers, "webhook-timestamp": str(int(self.now) - 9)}, BODY),
            (SECRET, signed(str(int(self.now) - 302)), BODY),
            (SECRET, signed(str(int(self.now) + 302)), BODY),
            (SECRET, {**self.headers, "webhook-timestamp": "٣"}, BODY),
            (SECRET, signed(self.now, OTHER), BODY),
            (SECRET, {**self.headers, "webhook-signature": "v1,"}, BODY),
            (SECRET, {**self.headers, "webhook-signature": "v1,é"}, BODY),
            (SECRET, {}, BODY),
            ([], self.headers, BODY),
        ):
            with self.assertRaises(EdgeFormsError) as caught:
                verify_webhook(secret, headers, body)
            self.assertEqual(caught.exception.code, "invalid_webhook")
        with self.assertRaises(ValueError):
            verify_webhook("whsec_", self.headers, BODY)

    def test_verifies_a_delivery_of_the_service(self) -> None:
        told: list[tuple[dict[str, str], bytes]] = []

        class Receiver(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                told.append((dict(self.headers.items()), self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        receiver = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
        threading.Thread(target=receiver.serve_forever, args=(0.02,), daemon=True).start()
        self.addCleanup(receiver.server_close)
        self.addCleanup(receiver.shutdown)
        client = EdgeForms(URL, token=TOKEN)
        key = app(client)
        url = f"http://127.0.0.1:{receiver.server_address[1]}"
        hook = {"name": "Python", "url": url, "types": ["record.created"], "collections": [f"app:{key}"]}
        secret = client.request("POST", "/webhooks", hook)["secret"]
        made = client.records(key).create({"code": "é"})
        until = time.monotonic() + 30
        while not told and time.monotonic() < until:
            time.sleep(0.05)
        event = verify_webhook(secret, *told[0])
        self.assertEqual((event["type"], event["data"]["id"]), ("record.created", made["id"]))
        self.assertEqual(event["data"]["item"]["data"]["code"], "é")


if __name__ == "__main__":
    unittest.main()
