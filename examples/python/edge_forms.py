"""A client of Edge Forms in one file, for Python 3.10 or newer and its standard library. Copy it.

    from edge_forms import EdgeForms, EdgeFormsError

    client = EdgeForms("https://forms.example.com", token="efp_…")
    orders = client.records("orders")

    order = orders.create({"customer": "Yamada", "lines": [{"sku": "A-1", "qty": 2}]})
    orders.update(order["id"], lambda item: {"priority": (item["data"]["priority"] or 0) + 1})
    orders.upsert("code", {"code": "4711", "customer": "Sato"})
    for each in orders.search({"conditions": [{"field": "priority", "op": "gte", "value": 2}]}):
        print(each["receipt_number"], each["data"]["total"])

    with open("a.pdf", "rb") as file:
        invoice = client.files.upload(file.read(), collection="app:orders", field="invoices", name="a.pdf")
    orders.update(order["id"], {"invoices": [invoice]})

An API client gives `client_id` and `client_secret` in place of `token`: access tokens are fetched, shared by all
threads and renewed by themselves. `client.records(app)` and `client.submissions(form)` have the same calls, and a
client may be used by many threads at once: make one and keep it.

**Writes happen once.** Each has an Idempotency-Key of its own, so its retries are safe, whatever is lost on the way.
Give a `key` where a write has to happen once across runs of your program: the same key within 24 hours writes once. A
key that was used for something else is an error, `key_reused`; `update` takes it as done, as its function may see a
later item in another run.

**Walks resume.** `list`, `search` and `changes` give every item, page after page. A walk has a `cursor`: keep it when
an item is done, and give it to a later walk of the same list, search or feed: that repeats at most a page, and skips
none.

**Failures** are EdgeFormsError, with `code`, `status`, `errors`, `request_id`. What is tried again before that:

    429, 409 indexing               after Retry-After, never earlier; a limit of writes holds up writes, not reads
    no or broken answers, 5xx       with exponential backoff and jitter, where that is safe: reads, writes with a key
    401 of an access token          with a new one, once
    412 in update with a function   waits, longer each time and at random, then asks the function again, up to 50 times
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import http.client
import json
import random
import re
import secrets
import threading
import time
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple
from urllib.parse import parse_qs, quote, urlencode, urlsplit

__all__ = ["BatchError", "Collection", "EdgeForms", "EdgeFormsError", "Files", "Walk", "verify_webhook"]

Json = dict[str, Any]
"""An object as it stands in JSON: an item, its data, an operation, what became of it."""
Results = list[Json]

MOST_OPERATIONS = 100
MOST_BYTES = 1_048_576
MOST_CONFLICTS = 50
LEAST_PACE = 50_000
"""Bytes a second that a connection has to carry: files get that much more time than other requests."""
MOST_REFUSALS = 100
"""How often one call may be told to wait: other programs of the same credential may be faster each time."""


class EdgeFormsError(Exception):
    """Every failure of a call.

    `code` is one of the service (https://…/docs/errors.md), or `network_error`, `timeout`, `unexpected_answer`,
    `key_reused`, `invalid_webhook`.
    """

    def __init__(
        self,
        message: str,
        code: str,
        status: int = 0,
        problem: Json | None = None,
        retry_after: float | None = None,
        request_id: str | None = None,
        doubtful: bool = False,
    ) -> None:
        super().__init__(message)
        self.code = code
        #: The status of the answer; 0 where there was none.
        self.status = status
        #: The whole problem document (RFC 9457).
        self.problem: Json = problem or {}
        #: Every invalid field, with its `field`, `pointer`, `code` and `reason`.
        self.errors: list[Json] = self.problem.get("errors") or []
        #: What the service's operators ask for.
        self.request_id: str | None = self.problem.get("request_id", request_id)
        #: Seconds, from the header Retry-After.
        self.retry_after = retry_after
        #: Whether a try may have been carried out although this one failed.
        self.doubtful = doubtful

    @property
    def _did_nothing(self) -> bool:
        return self.status == 429 or self.code == "indexing"

    @property
    def _is_unsure(self) -> bool:
        """Whether nobody knows what became of it: the answer was lost, or it was not the service that gave it."""
        return self.code in ("network_error", "timeout") or self.status == 408 or self.status >= 500


class BatchError(EdgeFormsError):
    """A batch that ended before all of its parts were written: `results` are those of the parts that are stored."""

    def __init__(self, cause: EdgeFormsError, results: Results) -> None:
        told = (cause.code, cause.status, cause.problem, cause.retry_after, cause.request_id)
        super().__init__(str(cause), *told, cause.doubtful)
        self.results = results


class EdgeForms:
    """One service by one credential.

    url            The service's address, without `/api/v1`.
    token          A personal token, or a function that gives the present one.
    client_id, client_secret, scope
                   An API client's credentials in its place; `scope` narrows what its access tokens may do.
    retries        Tries after a failed one; waits of 429 do not count.
    timeout        Seconds for each try.
    longest_wait   Seconds; a longer Retry-After is raised.
    concurrency    Requests on their way at once.
    """

    def __init__(
        self,
        url: str,
        *,
        token: str | Callable[[], str] | None = None,
        client_id: str | None = None,
        client_secret: str | None = None,
        scope: Iterable[str] | None = None,
        retries: int = 6,
        timeout: float = 30,
        longest_wait: float = 120,
        concurrency: int = 8,
    ) -> None:
        _check_address(url)
        if not (token or (client_id and client_secret)):
            raise ValueError("Give a token, or the client_id and client_secret of an API client.")
        self._url = url.rstrip("/")
        self._token = token
        self._grant = {"grant_type": "client_credentials", "client_id": client_id, "client_secret": client_secret}
        if scope is not None:
            self._grant["scope"] = " ".join(scope)
        self._retries = retries
        self._timeout = timeout
        self._longest_wait = longest_wait
        self._room = threading.BoundedSemaphore(concurrency)
        self._open_at = {"read": 0.0, "write": 0.0}
        self._access = ("", 0.0)
        self._holding = threading.Lock()
        self._renewing = threading.Lock()
        self._opener = urllib.request.build_opener(_AsItCame)
        #: The attachments of items.
        self.files = Files(self)

    def records(self, app: str) -> Collection:
        """The records of an app. An id may be a receipt number everywhere."""
        base = f"/apps/{quote(app, safe='')}"
        return Collection(self, f"{base}/records", f"{base}/changes", f"{base}/records")

    def submissions(self, form: str) -> Collection:
        """The submissions of a form."""
        base = f"/forms/{quote(form, safe='')}"
        return Collection(self, f"{base}/submissions", f"{base}/changes", "/submissions")

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Any other route, below `/api/v1`. GET, HEAD, PUT, and what carries an Idempotency-Key are sent again after a
        failure; the others only where the service said that it did nothing."""
        reads = method in ("GET", "HEAD")
        safe = reads or method == "PUT" or "idempotency-key" in (name.lower() for name in headers or {})
        lane = "read" if reads else "write"
        return self._send(lane, method, path, body, query, headers, safe=safe).body

    def _send(
        self,
        lane: str,
        method: str,
        path: str,
        body: Any = None,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        *,
        safe: bool = True,
        content: bytes | None = None,
        carried: int = 0,
        binary: bool = False,
    ) -> _Reply:
        """`content` takes the place of a JSON body, `carried` is the size of a file on its way in either direction."""
        asked = {name: value for name, value in (query or {}).items() if value is not None}
        url = f"{self._url}/api/v1{path}" + (f"?{urlencode(asked)}" if asked else "")
        sent = {"Accept": "application/json", **(headers or {})}
        for name, value in sent.items():
            if name.lower() == "if-match":
                _check_tag(name, value)
        data = content if body is None else _json(body)
        if body is not None:
            sent["Content-Type"] = "application/json"
        within = self._timeout + carried / LEAST_PACE
        for may_renew in (True, False):
            bearer = self._bearer()
            authorized = {**sent, "Authorization": f"Bearer {bearer}"}
            request = urllib.request.Request(url, data, authorized, method=method)
            try:
                return self._persist(lane, safe, request, within, binary)
            except EdgeFormsError as error:
                # Nothing was done for a bearer that is refused; an access token may have expired or been revoked.
                if error.status != 401 or not may_renew or isinstance(self._token, str):
                    raise
                self._forget(bearer)
        raise AssertionError

    def _bearer(self) -> str:
        if self._token:
            return self._token if isinstance(self._token, str) else self._token()
        # Fetched once for all threads.
        with self._renewing:
            token, renew_at = self._access
            if time.monotonic() < renew_at:
                return token
            form = {"Content-Type": "application/x-www-form-urlencoded"}
            url = f"{self._url}/oauth/token"
            asked = urllib.request.Request(url, urlencode(self._grant).encode(), form)
            told = self._persist("read", True, asked, self._timeout).body
            if not isinstance(told, dict) or not isinstance(told.get("access_token"), str):
                raise EdgeFormsError("The token endpoint answered without an access token.", "unexpected_answer")
            seconds = float(told.get("expires_in") or 0)
            # A minute early, so that none expires on its way.
            self._access = (told["access_token"], time.monotonic() + max(seconds - 60, seconds / 2))
            return self._access[0]

    def _forget(self, refused: str) -> None:
        with self._renewing:
            if self._access[0] == refused:
                self._access = ("", 0.0)

    def _persist(
        self, lane: str, safe: bool, request: urllib.request.Request, within: float, binary: bool = False
    ) -> _Reply:
        """Sends until there is an answer, as often as is safe."""
        failures = refusals = 0
        while True:
            try:
                return self._in_turn(lane, request, within, binary)._replace(doubtful=failures > 0)
            except EdgeFormsError as error:
                error.doubtful = failures > 0 or error._is_unsure
                told = error.retry_after or 0
                if told > self._longest_wait:
                    raise
                if error._did_nothing:
                    refusals += 1
                    if refusals > MOST_REFUSALS:
                        raise
                    wait = _later(1 if error.retry_after is None else told)
                    if error.status == 429:
                        self._hold(lane, wait)
                else:
                    if not error._is_unsure or not safe or failures >= self._retries:
                        raise
                    backoff = min(20, 0.25 * 2**failures)
                    wait = max(told, backoff / 2) + random.random() * backoff / 2
                    failures += 1
            time.sleep(wait)

    def _in_turn(self, lane: str, request: urllib.request.Request, within: float, binary: bool) -> _Reply:
        """Waits for the lane and for room in it, and looks at the lane again once there is room."""
        while True:
            while (wait := self._open_at[lane] - time.monotonic()) > 0:
                time.sleep(_later(wait))
            with self._room:
                if self._open_at[lane] > time.monotonic():
                    continue
                reply = self._attempt(request, within, binary)
            # `"default";r=599;t=12, "write";r=0;t=3`: nothing is left of a limit for `t` seconds.
            for name, seconds in re.findall(r'"(\w+)";r=0;t=(\d+)', reply.headers.get("RateLimit", "")):
                for each in ("read", "write") if name == "default" else ("write",):
                    self._hold(each, min(float(seconds), self._longest_wait))
            return reply

    def _hold(self, lane: str, seconds: float) -> None:
        with self._holding:
            self._open_at[lane] = max(self._open_at[lane], time.monotonic() + seconds)

    def _attempt(self, request: urllib.request.Request, within: float, binary: bool) -> _Reply:
        """One request and its whole answer."""
        until = time.monotonic() + within
        try:
            with self._opener.open(request, timeout=within) as answer:
                return _read(answer, until, binary)
        except (OSError, http.client.HTTPException) as cause:
            late = isinstance(getattr(cause, "reason", cause), TimeoutError)
            origin = "{0.scheme}://{0.netloc}".format(urlsplit(request.full_url))
            reason = getattr(cause, "reason", cause)
            message = f"The connection to {origin} failed: {reason}"
            if late:
                message = f"No complete response from {origin} within {within:g} s."
            raise EdgeFormsError(message, "timeout" if late else "network_error") from cause


class Collection:
    """The records of an app, or the submissions of a form."""

    def __init__(self, client: EdgeForms, items: str, changes: str, item: str) -> None:
        self._client = client
        self._items = items
        self._changes = changes
        self._item = item

    def create(self, data: Json, *, status: str | None = None, key: str | None = None) -> Json:
        """The new item. `status` is for submissions: drafts may lack what is required."""
        headers = {"Idempotency-Key": key or _new_key()}
        reply = self._client._send("write", "POST", self._items, _content(data, status), headers=headers)
        created: Json = _unmistaken(reply).body
        return created

    def get(self, id: str) -> Json:
        return self._get(id)

    def update(
        self,
        id: str,
        change: Json | Callable[[Json], Json | None],
        *,
        if_match: str | None = None,
        status: str | None = None,
        key: str | None = None,
    ) -> Json:
        """Merges a change onto an item, and gives its `outcome`, `etag` and, where it may be read, `item`.

        Fields that are left out stay, None clears. A function sees the present item and gives the change, None for
        none; when somebody else was faster, it is asked again with what is there then. With `if_match` another
        version is an error, `version_mismatch`.
        """
        _check_tag("if_match", if_match)
        key = key or _new_key()

        def put(data: Json, etag: str | None) -> Json:
            operation = {"op": "update", "id": id, **_content(data, status)}
            return self._write_one({**operation, "if_match": etag} if etag else operation, key, repeated=True)

        if not callable(change):
            return put(change, if_match)
        for conflicts in range(MOST_CONFLICTS + 1):
            # Replicas may lag behind others' writes: after a conflict, only the primary is believed.
            present = self._get(id, {"Cache-Control": "no-cache"} if conflicts else None)
            data = change(present)
            if data is None:
                told: Json = {name: present[name] for name in ("id", "receipt_number", "etag") if name in present}
                return {"op": "update", "outcome": "unchanged", **told, "item": present}
            try:
                return put(data, if_match or present["etag"])
            except EdgeFormsError as error:
                if error.code != "version_mismatch" or if_match or conflicts == MOST_CONFLICTS:
                    raise
            # The range doubles with each conflict, so that the writers of one item spread out.
            span = min(2, 0.04 * 2**conflicts)
            time.sleep(span / 4 + random.random() * span)
        raise AssertionError

    def upsert(self, by: str, data: Json, *, status: str | None = None, key: str | None = None) -> Json:
        """Updates the item that has the value of the unique field `by` in `data`; creates it where none has."""
        return self._write_one({"op": "upsert", "by": by, **_content(data, status)}, key or _new_key())

    def batch(self, operations: Iterable[Json], *, key: str | None = None, items: bool = False) -> Results:
        """What became of each operation, in order; with `items` also the items.

        `{"op": "create", …}`, `update`, `upsert` or `delete`: up to 100 of them and 1 MiB are all or nothing. More are
        written in parts: BatchError has the `results` of those before a refused one, and its `errors` have pointers
        into the whole. With a `key` the same operations may be sent again: what is stored is told, not written again.
        """
        key = key or _new_key()
        whole = list(operations)
        for operation in whole:
            _check_tag("if_match", operation.get("if_match"))
        parts = _parts(whole)
        results: Results = []
        while parts:
            start, end = parts.pop(0)
            try:
                reply = self._write_batch(whole[start:end], f"{key}:{start}-{end}", items)
                results += _unmistaken(reply).body["results"]
            except EdgeFormsError as error:
                if error.status != 413 or end - start == 1:
                    raise BatchError(_moved(error, start), results) from error
                # It touches more than a batch may, and nothing of it was stored.
                middle = (start + end) // 2
                parts[:0] = [(start, middle), (middle, end)]
        return results

    def delete(self, id: str, *, if_match: str | None = None) -> None:
        """Deletes a submission. One that has gone while an answer was lost counts as deleted."""
        _check_tag("if_match", if_match)
        headers = {"If-Match": if_match} if if_match else None
        try:
            self._client._send("write", "DELETE", self._path(id), headers=headers)
        except EdgeFormsError as error:
            if error.status != 404 or not error.doubtful:
                raise

    def validate(self, data: Json, *, status: str | None = None) -> Json:
        """What a create of a submission would store, or what it would raise."""
        checked: Json = self._client._send("read", "POST", f"{self._items}/validate", _content(data, status)).body
        return checked

    def list(self, *, cursor: str | None = None, limit: int = 200) -> Walk:
        """Every item, in the order in which they were stored."""
        return self._walk("GET", self._items, None, {"limit": limit}, cursor)

    def search(self, search: Json | None = None, *, cursor: str | None = None, limit: int = 200) -> Walk:
        """Every match: `{"conditions": […], "sort": […]}`. Newest first where no sort is given."""
        return self._walk("POST", f"{self._items}/search", search or {}, {"limit": limit}, cursor)

    def aggregate(self, aggregate: Json) -> Json:
        """Exact figures by group: `{"group_by": […], "metrics": {…}}` gives `{"groups": […], "truncated": …}`."""
        figures: Json = self._client._send("read", "POST", f"{self._items}/aggregate", aggregate).body
        return figures

    def changes(
        self, *, cursor: str | None = None, every: float | None = None, all: bool = False, limit: int = 200
    ) -> Walk:
        """What happened, in order, missing nothing: from the oldest change that is kept, or a cursor; "now" is the end.

        Ends when there is no more, with the cursor to go on from; with `every`, looks again every so many seconds.
        Several changes of one item may be told as one, by who made the last; `all` tells each.
        """
        query = {"limit": limit, "all": "true" if all else None}
        return self._walk("GET", self._changes, None, query, cursor, feed=True, every=every)

    def _path(self, id: str) -> str:
        return f"{self._item}/{quote(id, safe='')}"

    def _get(self, id: str, headers: Mapping[str, str] | None = None) -> Json:
        item: Json = self._client._send("read", "GET", self._path(id), headers=headers).body
        return item

    def _write_one(self, operation: Json, key: str, repeated: bool = False) -> Json:
        """A batch of one: the only write besides a create that a key makes happen once."""
        try:
            reply = self._write_batch([operation], key, items=True)
        except EdgeFormsError as error:
            raise _alone(error) from error
        # A function that is asked in another run sees a later item, and gives another change: it is done all the same.
        written: Json = (reply if repeated else _unmistaken(reply)).body["results"][0]
        if "item" in written or "Idempotent-Replayed" not in reply.headers:
            return written
        # Replays hold no items.
        try:
            return {**written, "item": self._get(written["id"])}
        except EdgeFormsError as error:
            if error.status not in (403, 404):
                raise
            return written

    def _write_batch(self, operations: Sequence[Json], key: str, items: bool) -> _Reply:
        query = {"return": "representation" if items else None}
        headers = {"Idempotency-Key": key}
        return self._client._send(
            "write", "POST", f"{self._items}/batch", {"operations": operations}, query, headers
        )

    def _walk(
        self,
        method: str,
        path: str,
        body: Any,
        query: Json,
        cursor: str | None,
        feed: bool = False,
        every: float | None = None,
    ) -> Walk:
        def read(cursor: str | None) -> Page:
            page = self._client._send("read", method, path, body, {**query, "cursor": cursor}).body
            following = page["links"]["next"]
            # The service may know itself by another address: what counts is the cursor.
            return Page(page["items"], following and parse_qs(urlsplit(following).query)["cursor"][0])

        def goes_on(page: Page) -> bool:
            if not feed:
                return page.cursor is not None
            if not page.items and every is not None:
                time.sleep(every)
            return bool(page.items) or every is not None

        return Walk(read, goes_on, cursor)


class Files:
    """The attachments of items. Each is a dict with `id`, `name`, `content_type`, `bytes`, `sha256` and `links`."""

    def __init__(self, client: EdgeForms) -> None:
        self._client = client

    def upload(self, content: bytes, *, collection: str, field: str, name: str, key: str | None = None) -> Json:
        """Stores a file for a field of a `collection` like "form:purchase"; the service verifies every byte.

        Attach it within 24 hours: write what this returns into the field's list of an item.
        """
        told = {
            "collection": collection,
            "field": field,
            "name": name,
            "bytes": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
        }
        headers = {"Idempotency-Key": key or _new_key()}
        announced = _unmistaken(self._client._send("write", "POST", "/files", told, headers=headers)).body
        stored: Json = self._client._send(
            "write",
            "PUT",
            f"{_file(announced['id'])}/content",
            headers={"Content-Type": "application/octet-stream"},
            content=content,
            carried=len(content),
        ).body
        return stored

    def download(self, file: str | Json) -> bytes:
        """The bytes of a file, verified by their digest: by its ID, or as an item has it."""
        id, carried = (file, 90_000_000) if isinstance(file, str) else (file["id"], file["bytes"])
        reply = self._client._send(
            "read", "GET", f"{_file(id)}/content", headers={"Accept": "*/*"}, carried=carried, binary=True
        )
        content: bytes = reply.body
        told = re.search("sha-256=:([^:]+):", reply.headers.get("Repr-Digest", ""))
        if told and told[1] != base64.b64encode(hashlib.sha256(content).digest()).decode():
            raise EdgeFormsError("The downloaded bytes differ from those that are stored.", "unexpected_answer")
        return content

    def get(self, id: str) -> Json:
        """What is known of a file."""
        file: Json = self._client._send("read", "GET", _file(id)).body
        return file

    def link(self, id: str) -> Json:
        """A `url` that works without a credential until `expires_at`, for at most an hour."""
        link: Json = self._client._send("read", "POST", f"{_file(id)}/link").body
        return link

    def delete(self, id: str) -> None:
        """Deletes a file that no item has. One that has gone while an answer was lost counts as deleted."""
        try:
            self._client._send("write", "DELETE", _file(id))
        except EdgeFormsError as error:
            if error.status != 404 or not error.doubtful:
                raise


def _file(id: str) -> str:
    return f"/files/{quote(id, safe='')}"


class Page(NamedTuple):
    items: list[Json]
    #: Where the next page starts; None at the end of a list or search.
    cursor: str | None


class Walk:
    """All items, page after page; `pages()` gives whole pages. A page may be short, even empty, and not the last.

    `cursor` says where a later walk goes on. It stands before the page whose items are being given until the last of
    them was taken, so that a walk that is broken off repeats some, and skips none. It is None before the first page and
    after the end of a list or search; a feed's goes on for ever.
    """

    def __init__(
        self, read: Callable[[str | None], Page], goes_on: Callable[[Page], bool], cursor: str | None
    ) -> None:
        self._read = read
        self._goes_on = goes_on
        self.cursor = cursor

    def __iter__(self) -> Iterator[Json]:
        for page in self.pages():
            yield from page.items

    def pages(self) -> Iterator[Page]:
        more = True
        while more:
            page = self._read(self.cursor)
            yield page
            self.cursor = page.cursor
            more = self._goes_on(page)


def verify_webhook(
    secret: str | Iterable[str], headers: Mapping[str, str], body: bytes | str, tolerance: float = 300
) -> Json:
    """The event of a genuine delivery (Standard Webhooks), with its `id`; `invalid_webhook` for any other.

    `secret` is `whsec_…`, or both while one is being rotated; `body` is as it came, not parsed; `tolerance` is the
    seconds by which its time may differ from ours. Deliveries come at least once: keep `event["id"]`.
    """
    given = {name.lower(): value for name, value in headers.items()}
    id, sent, signatures = (given.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature"))
    if not id:
        raise _refused("The header webhook-id is missing.")
    if not re.fullmatch("[0-9]{1,12}", sent) or not abs(time.time() - int(sent)) <= tolerance:
        raise _refused(f"Its timestamp is no time within {tolerance} seconds of now.")
    content = body.encode() if isinstance(body, str) else body
    signed = f"{id}.{sent}.".encode() + content
    told = [each[3:].encode() for each in signatures.split(" ") if each.startswith("v1,")][:10]
    for each in [secret] if isinstance(secret, str) else secret:
        expected = base64.b64encode(hmac.new(_key_of(each), signed, hashlib.sha256).digest())
        # Takes the same time wherever two signatures differ.
        if any([hmac.compare_digest(expected, signature) for signature in told]):
            return {**json.loads(content), "id": id}
    raise _refused("Its signature is not one of the secret.")


def _key_of(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        key = b""
    if not key:
        raise ValueError("The secret is not whsec_ and base64.")
    return key


def _refused(reason: str) -> EdgeFormsError:
    return EdgeFormsError(f"This delivery is not genuine. {reason}", "invalid_webhook")


class _Reply(NamedTuple):
    status: int
    headers: http.client.HTTPMessage
    body: Any
    #: Whether an earlier try may have been carried out.
    doubtful: bool = False


class _AsItCame(urllib.request.HTTPErrorProcessor):
    """Gives every answer as it is. A redirect is not followed: it would carry the credential elsewhere."""

    def http_response(self, request: urllib.request.Request, response: Any) -> Any:
        return response

    https_response = http_response


def _read(answer: http.client.HTTPResponse, until: float, binary: bool) -> _Reply:
    parts = []
    while part := answer.read1(65_536):
        parts.append(part)
        if time.monotonic() > until:
            raise TimeoutError
    if answer.length:
        raise http.client.IncompleteRead(b"", answer.length)
    text = b"".join(parts)
    if not 200 <= answer.status < 300:
        raise _error_of(answer, text)
    if binary:
        return _Reply(answer.status, answer.headers, text)
    try:
        return _Reply(answer.status, answer.headers, json.loads(text) if text else None)
    except ValueError as cause:
        message = f"The service answered {answer.status} with what is no JSON."
        raise EdgeFormsError(message, "unexpected_answer", answer.status) from cause


def _error_of(answer: http.client.HTTPResponse, text: bytes) -> EdgeFormsError:
    """The error that an answer outside of 2xx tells."""
    try:
        problem = json.loads(text)
    except ValueError:
        problem = {}
    if not isinstance(problem, dict):
        problem = {}
    # RFC 6749 has `error` and `error_description` in place of `code` and `detail`.
    code = problem.get("code", problem.get("error"))
    told = (answer.status, problem, _seconds(answer.headers.get("Retry-After")), answer.headers.get("X-Request-Id"))
    if not isinstance(code, str):
        message = f"The service answered {answer.status} without a problem document."
        return EdgeFormsError(message, "unexpected_answer", *told)
    return EdgeFormsError(_message(code, problem), code, *told)


def _message(code: str, problem: Json) -> str:
    """It names the first fields that are wrong."""
    detail = problem.get("detail") or problem.get("error_description") or problem.get("title")
    errors = problem.get("errors") or []
    reasons = "".join(f" {each['field']}: {each['reason']}" for each in errors[:3])
    return f"{code}: {detail}{reasons}" + (f" And {len(errors) - 3} more." if len(errors) > 3 else "")


def _renamed(error: EdgeFormsError, rename: Callable[[str, str], str]) -> EdgeFormsError:
    """The same problem with its fields and pointers named as its caller knows them."""
    if not error.errors:
        return error
    names = ("field", "pointer")
    errors = [{**each, **{name: rename(name, each[name]) for name in names if name in each}} for each in error.errors]
    problem = {**error.problem, "errors": errors}
    told = (error.status, problem, error.retry_after, error.request_id, error.doubtful)
    return EdgeFormsError(_message(error.code, problem), error.code, *told)


def _moved(error: EdgeFormsError, start: int) -> EdgeFormsError:
    """Errors of a part, told with the places that its operations have in the whole."""
    place = re.compile(r"^(/operations/|operations\[)(\d+)")
    return _renamed(error, lambda _, told: place.sub(lambda found: f"{found[1]}{int(found[2]) + start}", told))


def _alone(error: EdgeFormsError) -> EdgeFormsError:
    """Errors of a lone operation, told as the single route tells them."""
    own = {"field": r"^operations\[0\]\.?(data\.)?", "pointer": "^/operations/0"}
    return _renamed(error, lambda name, told: re.sub(own[name], "", told))


def _parts(operations: Sequence[Json]) -> list[tuple[int, int]]:
    """From where to where one request takes; the same parts for the same operations."""
    parts: list[tuple[int, int]] = []
    room = 0
    for index, operation in enumerate(operations):
        size = len(_json(operation)) + 1
        if parts and size <= room and index - parts[-1][0] < MOST_OPERATIONS:
            parts[-1] = (parts[-1][0], index + 1)
        else:
            parts.append((index, index + 1))
            room = MOST_BYTES - len('{"operations":[]}')
        room -= size
    return parts


def _unmistaken(reply: _Reply) -> _Reply:
    """Refuses the answer to a key that was used for something else, which was not written this time."""
    if "Idempotency-Key-Mismatch" in reply.headers:
        message = "This key was used for another body, whose answer it gave; nothing was written."
        raise EdgeFormsError(message, "key_reused", problem={"answer": reply.body})
    return reply


def _check_address(url: str) -> None:
    """Raises for an address that is not the root of a service."""
    hint = "Set url to an address like https://forms.example.com."
    address = urlsplit(url)
    if address.scheme not in ("https", "http") or not address.netloc:
        fault = "is not an http or https address" if "://" in url else "has no scheme such as https://"
        raise ValueError(f"The url {url!r} {fault}. {hint}")
    if re.search(r"/api/v1/*$", address.path):
        raise ValueError(f"The url {url!r} ends in /api/v1, which the client adds. {hint}")
    if address.query or address.fragment:
        raise ValueError(f"The url {url!r} has a query or a fragment. {hint}")


def _check_tag(name: str, tag: str | None) -> None:
    """Rejects an empty ETag, for example of an unset variable, because the write would apply to any version."""
    if tag is not None and not tag.strip():
        raise ValueError(f"{name} is empty. Send an ETag, or omit it to write to any version.")


def _content(data: Json, status: str | None) -> Json:
    return {"data": data, "status": status} if status else {"data": data}


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def _new_key() -> str:
    return secrets.token_hex(16)


def _later(seconds: float) -> float:
    """A little later than told, so that those who were held up together do not come back together."""
    return seconds + random.random() * min(0.25, 0.01 + seconds / 10)


def _seconds(header: str | None) -> float | None:
    """Retry-After is a number of seconds or a date (RFC 9110, section 10.2.3)."""
    if header is None:
        return None
    if re.fullmatch("[0-9]+", header):
        return float(header)
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    except ValueError:
        return None
