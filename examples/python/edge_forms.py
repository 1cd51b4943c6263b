"""A client for Edge Forms in one file, for Python 3.10 or newer and its standard library. Copy it into your project.

    from edge_forms import EdgeForms, EdgeFormsError

    client = EdgeForms("https://forms.example.com", token="efp_…")
    orders = client.records("orders")

    order = orders.create({"customer": "Yamada", "lines": [{"sku": "A-1", "qty": 2}]})
    orders.update(order["id"], lambda item: {"priority": (item["data"]["priority"] or 0) + 1})
    orders.upsert("code", {"code": "4711", "customer": "Sato"})
    for match in orders.search({"conditions": [{"field": "priority", "op": "gte", "value": 2}]}):
        print(match["receipt_number"], match["data"]["total"])

    with open("a.pdf", "rb") as file:
        invoice = client.files.upload(file.read(), collection="app:orders", field="invoices", name="a.pdf")
    orders.update(order["id"], {"invoices": [invoice]})

For an API client, pass `client_id` and `client_secret` instead of `token`. The client then fetches and renews access
tokens. `client.records(app)` and `client.submissions(form)` have the same methods. Many threads can use one client, so
create one client and keep it.

**Writes happen once.** Each write has its own Idempotency-Key, so a retry never writes twice, even if a response was
lost. If a write must happen once across runs of your program, pass `key`. Within 24 hours, the service writes once for
each key. If you use a key again with a different body, the client raises `key_reused`. Only `update` does not raise it,
because its function may receive a later item in another run.

**Iterations resume.** `list`, `search` and `changes` return every item, page after page. Each iteration has a `cursor`.
Store the cursor after you have processed an item, and pass it to a later iteration of the same list, search or feed.
The later iteration repeats at most one page and skips nothing.

**Failures** raise EdgeFormsError, with `code`, `status`, `errors` and `request_id`. The client first retries:

    429, 409 indexing               after the time in Retry-After. A limit on writes delays writes, not reads
    no or broken response, 5xx      with exponential backoff and jitter, only for reads and for writes with a key
    401 for an access token         once, with a new token
    412 in update with a function   after a random, growing pause, up to 50 times. Calls the function again
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
"""A JSON object: an item, its data, an operation or a result."""
Results = list[Json]

MAX_OPERATIONS = 100
MAX_BYTES = 1_048_576
MAX_CONFLICTS = 50
MIN_BYTES_PER_SECOND = 50_000
"""The slowest supported connection. It determines the additional time for a transfer of a file."""
MAX_REFUSALS = 100
"""The maximum number of 429 responses to one call. Other programs with the same credential can use up the limit."""


class EdgeFormsError(Exception):
    """Raised for every failed call.

    `code` is a code of the service (https://…/docs/errors.md), `network_error`, `timeout`, `unexpected_answer`,
    `key_reused` or `invalid_webhook`.
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
        #: The HTTP status. 0 if there was no response.
        self.status = status
        #: The whole problem document (RFC 9457).
        self.problem: Json = problem or {}
        #: Every invalid field, with its `field`, `pointer`, `code` and `reason`.
        self.errors: list[Json] = self.problem.get("errors") or []
        #: Identifies the request in the service's log.
        self.request_id: str | None = self.problem.get("request_id", request_id)
        #: The seconds in the Retry-After header.
        self.retry_after = retry_after
        #: Whether an earlier attempt may have succeeded although this one failed.
        self.doubtful = doubtful

    @property
    def _was_rejected(self) -> bool:
        return self.status == 429 or self.code == "indexing"

    @property
    def _is_uncertain(self) -> bool:
        """Whether the outcome is unknown, because the response was lost or did not come from the service."""
        return self.code in ("network_error", "timeout") or self.status == 408 or self.status >= 500


class BatchError(EdgeFormsError):
    """A batch failed after the service had stored some of its parts. `results` are the results of these parts."""

    def __init__(self, cause: EdgeFormsError, results: Results) -> None:
        details = (cause.code, cause.status, cause.problem, cause.retry_after, cause.request_id)
        super().__init__(str(cause), *details, cause.doubtful)
        self.results = results


class EdgeForms:
    """A connection to one service with one credential.

    url            The address of the service, without `/api/v1`.
    token          A personal token, or a function that returns the current one.
    client_id, client_secret, scope
                   The credentials of an API client, instead of a token. `scope` limits the access tokens.
    retries        The maximum number of retries after a failure. Retries after a 429 do not count.
    timeout        Seconds for each attempt.
    longest_wait   The maximum wait in seconds. If Retry-After is longer, the client raises the error.
    concurrency    The number of parallel requests.
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
        self._token_request = {
            "grant_type": "client_credentials",
            "client_id": client_id,
            "client_secret": client_secret,
        }
        if scope is not None:
            self._token_request["scope"] = " ".join(scope)
        self._retries = retries
        self._timeout = timeout
        self._longest_wait = longest_wait
        self._room = threading.BoundedSemaphore(concurrency)
        self._lane_opens_at = {"read": 0.0, "write": 0.0}
        self._access = ("", 0.0)
        self._lane_lock = threading.Lock()
        self._token_lock = threading.Lock()
        self._opener = urllib.request.build_opener(_WithoutRedirects)
        #: The attachments of items.
        self.files = Files(self)

    def records(self, app: str) -> Collection:
        """The records of an app. Every method that takes an ID also takes a receipt number."""
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
        """Calls any other route below `/api/v1`.

        Retries GET, HEAD, PUT and requests with an Idempotency-Key after every failure. Retries other requests only if
        the response shows that the service did nothing.
        """
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
        """`content` replaces the JSON body. `carried` is the size of the file that the call transfers."""
        parameters = {name: value for name, value in (query or {}).items() if value is not None}
        url = f"{self._url}/api/v1{path}" + (f"?{urlencode(parameters)}" if parameters else "")
        sent = {"Accept": "application/json", **(headers or {})}
        for name, value in sent.items():
            if name.lower() == "if-match":
                _check_tag(name, value)
        data = content if body is None else _json(body)
        if body is not None:
            sent["Content-Type"] = "application/json"
        within = self._timeout + carried / MIN_BYTES_PER_SECOND
        for may_renew in (True, False):
            bearer = self._get_token()
            authorized = {**sent, "Authorization": f"Bearer {bearer}"}
            request = urllib.request.Request(url, data, authorized, method=method)
            try:
                return self._send_with_retries(lane, safe, request, within, binary)
            except EdgeFormsError as error:
                # With a 401, the service has stored nothing. The access token may be expired or revoked.
                if error.status != 401 or not may_renew or isinstance(self._token, str):
                    raise
                self._discard_token(bearer)
        raise AssertionError

    def _get_token(self) -> str:
        if self._token:
            return self._token if isinstance(self._token, str) else self._token()
        # One thread fetches the token for all threads.
        with self._token_lock:
            token, renew_at = self._access
            if time.monotonic() < renew_at:
                return token
            form = {"Content-Type": "application/x-www-form-urlencoded"}
            url = f"{self._url}/oauth/token"
            token_request = urllib.request.Request(url, urlencode(self._token_request).encode(), form)
            reply = self._send_with_retries("read", True, token_request, self._timeout).body
            if not isinstance(reply, dict) or not isinstance(reply.get("access_token"), str):
                raise EdgeFormsError("The token endpoint returned no access token.", "unexpected_answer")
            seconds = float(reply.get("expires_in") or 0)
            # Renews the token a minute early, so that it does not expire during a request.
            self._access = (reply["access_token"], time.monotonic() + max(seconds - 60, seconds / 2))
            return self._access[0]

    def _discard_token(self, refused: str) -> None:
        with self._token_lock:
            if self._access[0] == refused:
                self._access = ("", 0.0)

    def _send_with_retries(
        self, lane: str, safe: bool, request: urllib.request.Request, within: float, binary: bool = False
    ) -> _Reply:
        """Sends the request, and retries it while this is safe."""
        failures = refusals = 0
        while True:
            try:
                return self._send_in_lane(lane, request, within, binary)._replace(doubtful=failures > 0)
            except EdgeFormsError as error:
                error.doubtful = failures > 0 or error._is_uncertain
                retry_after = error.retry_after or 0
                if retry_after > self._longest_wait:
                    raise
                if error._was_rejected:
                    refusals += 1
                    if refusals > MAX_REFUSALS:
                        raise
                    wait = _later(1 if error.retry_after is None else retry_after)
                    if error.status == 429:
                        self._delay_lane(lane, wait)
                else:
                    if not error._is_uncertain or not safe or failures >= self._retries:
                        raise
                    backoff = min(20, 0.25 * 2**failures)
                    wait = max(retry_after, backoff / 2) + random.random() * backoff / 2
                    failures += 1
            time.sleep(wait)

    def _send_in_lane(self, lane: str, request: urllib.request.Request, within: float, binary: bool) -> _Reply:
        """Waits until the limits and the number of parallel requests allow another request, then sends it."""
        while True:
            while (wait := self._lane_opens_at[lane] - time.monotonic()) > 0:
                time.sleep(_later(wait))
            with self._room:
                if self._lane_opens_at[lane] > time.monotonic():
                    continue
                reply = self._send_once(request, within, binary)
            # In `"default";r=599;t=12, "write";r=0;t=3`, the limit `write` allows no request for 3 seconds.
            for name, seconds in re.findall(r'"(\w+)";r=0;t=(\d+)', reply.headers.get("RateLimit", "")):
                for each in ("read", "write") if name == "default" else ("write",):
                    self._delay_lane(each, min(float(seconds), self._longest_wait))
            return reply

    def _delay_lane(self, lane: str, seconds: float) -> None:
        with self._lane_lock:
            self._lane_opens_at[lane] = max(self._lane_opens_at[lane], time.monotonic() + seconds)

    def _send_once(self, request: urllib.request.Request, within: float, binary: bool) -> _Reply:
        """Sends one request and reads the whole response."""
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
        """Creates an item. A submission can have the `status` "draft". A draft can lack required values."""
        headers = {"Idempotency-Key": key or _new_key()}
        reply = self._client._send("write", "POST", self._items, _content(data, status), headers=headers)
        created: Json = _assert_same_body(reply).body
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
        """Merges a change into an item. Returns `outcome`, `etag` and, if the credential can read it, `item`.

        Omitted fields keep their values, and None clears a field. A function receives the current item and returns
        the change, or None for no change. If another client changes the item first, the function is called again with
        the new item. With `if_match`, every other version raises `version_mismatch`.
        """
        _check_tag("if_match", if_match)
        key = key or _new_key()

        def put(data: Json, etag: str | None) -> Json:
            operation = {"op": "update", "id": id, **_content(data, status)}
            return self._write_one({**operation, "if_match": etag} if etag else operation, key, repeated=True)

        if not callable(change):
            return put(change, if_match)
        for conflicts in range(MAX_CONFLICTS + 1):
            # A replica may lag behind other writers, so read the primary after a conflict.
            present = self._get(id, {"Cache-Control": "no-cache"} if conflicts else None)
            data = change(present)
            if data is None:
                known: Json = {name: present[name] for name in ("id", "receipt_number", "etag") if name in present}
                return {"op": "update", "outcome": "unchanged", **known, "item": present}
            try:
                return put(data, if_match or present["etag"])
            except EdgeFormsError as error:
                if error.code != "version_mismatch" or if_match or conflicts == MAX_CONFLICTS:
                    raise
            # The range doubles with each conflict, to spread out clients that update one item at the same time.
            span = min(2, 0.04 * 2**conflicts)
            time.sleep(span / 4 + random.random() * span)
        raise AssertionError

    def upsert(self, by: str, data: Json, *, status: str | None = None, key: str | None = None) -> Json:
        """Updates the item that has the value of the unique field `by` in `data`, or creates it."""
        return self._write_one({"op": "upsert", "by": by, **_content(data, status)}, key or _new_key())

    def batch(self, operations: Iterable[Json], *, key: str | None = None, items: bool = False) -> Results:
        """Runs operations and returns their results in order. With `items`, the results contain the items.

        An operation is `{"op": "create", …}`, `update`, `upsert` or `delete`. The service stores up to 100 operations
        and 1 MiB completely or not at all. The client splits a larger batch into parts. If a part fails, BatchError
        has the `results` of the parts before it. The pointers in its `errors` refer to all operations. With a `key`,
        you can send the same operations again. The service then returns the results of the stored parts and does not
        store them again.
        """
        key = key or _new_key()
        whole = list(operations)
        for operation in whole:
            _check_tag("if_match", operation.get("if_match"))
        parts = _split(whole)
        results: Results = []
        while parts:
            start, end = parts.pop(0)
            try:
                reply = self._write_batch(whole[start:end], f"{key}:{start}-{end}", items)
                results += _assert_same_body(reply).body["results"]
            except EdgeFormsError as error:
                if error.status != 413 or end - start == 1:
                    raise BatchError(_shift_pointers(error, start), results) from error
                # The part is too large for one batch. The service has stored nothing of it.
                middle = (start + end) // 2
                parts[:0] = [(start, middle), (middle, end)]
        return results

    def delete(self, id: str, *, if_match: str | None = None) -> None:
        """Deletes a submission. Succeeds if a response was lost and the submission no longer exists."""
        _check_tag("if_match", if_match)
        headers = {"If-Match": if_match} if if_match else None
        try:
            self._client._send("write", "DELETE", self._path(id), headers=headers)
        except EdgeFormsError as error:
            if error.status != 404 or not error.doubtful:
                raise

    def validate(self, data: Json, *, status: str | None = None) -> Json:
        """Validates a submission without storing it. Returns the `data` that a create would store.

        Raises the same errors as a create.
        """
        checked: Json = self._client._send("read", "POST", f"{self._items}/validate", _content(data, status)).body
        return checked

    def list(self, *, cursor: str | None = None, limit: int = 200) -> Walk:
        """Returns every item, in the order of creation."""
        return self._walk("GET", self._items, None, {"limit": limit}, cursor)

    def search(self, search: Json | None = None, *, cursor: str | None = None, limit: int = 200) -> Walk:
        """Returns every match of `{"conditions": […], "sort": […]}`. Without `sort`, the newest comes first."""
        return self._walk("POST", f"{self._items}/search", search or {}, {"limit": limit}, cursor)

    def aggregate(self, aggregate: Json) -> Json:
        """Returns `{"groups": […], "truncated": …}` with exact figures for `{"group_by": […], "metrics": {…}}`."""
        figures: Json = self._client._send("read", "POST", f"{self._items}/aggregate", aggregate).body
        return figures

    def changes(
        self, *, cursor: str | None = None, every: float | None = None, all: bool = False, limit: int = 200
    ) -> Walk:
        """Returns all changes in order, from a cursor or the oldest available change. "now" is the cursor of the end.

        The iteration ends after the last change. To continue there later, store its cursor. With `every`, the
        iteration does not end, and polls at this interval, in seconds. The service can merge several changes of one
        item into one. The merged change names the actor of the last one. With `all`, the service merges no changes.
        """
        query = {"limit": limit, "all": "true" if all else None}
        return self._walk("GET", self._changes, None, query, cursor, feed=True, every=every)

    def _path(self, id: str) -> str:
        return f"{self._item}/{quote(id, safe='')}"

    def _get(self, id: str, headers: Mapping[str, str] | None = None) -> Json:
        item: Json = self._client._send("read", "GET", self._path(id), headers=headers).body
        return item

    def _write_one(self, operation: Json, key: str, repeated: bool = False) -> Json:
        """Sends a batch of one operation, because only creates and batches accept an Idempotency-Key."""
        try:
            reply = self._write_batch([operation], key, items=True)
        except EdgeFormsError as error:
            raise _as_single_item(error) from error
        # In another run, the function may receive a later item and return another change. The first one still counts.
        written: Json = (reply if repeated else _assert_same_body(reply)).body["results"][0]
        if "item" in written or "Idempotent-Replayed" not in reply.headers:
            return written
        # Replays contain no items.
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
            # The link may have another host than the client uses, so use only its cursor.
            return Page(page["items"], following and parse_qs(urlsplit(following).query)["cursor"][0])

        def may_continue(page: Page) -> bool:
            if not feed:
                return page.cursor is not None
            if not page.items and every is not None:
                time.sleep(every)
            return bool(page.items) or every is not None

        return Walk(read, may_continue, cursor)


class Files:
    """Files of items. Each file is a dict with `id`, `name`, `content_type`, `bytes`, `sha256` and `links`."""

    def __init__(self, client: EdgeForms) -> None:
        self._client = client

    def upload(self, content: bytes, *, collection: str, field: str, name: str, key: str | None = None) -> Json:
        """Uploads a file for a field of a `collection`, such as "form:purchase". The service verifies its digest.

        Attach the file within 24 hours. To attach it, add the returned value to the list in this field of an item.
        """
        metadata = {
            "collection": collection,
            "field": field,
            "name": name,
            "bytes": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
        }
        headers = {"Idempotency-Key": key or _new_key()}
        announced = _assert_same_body(self._client._send("write", "POST", "/files", metadata, headers=headers)).body
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
        """Returns the bytes of a file and verifies their digest. `file` is its ID, or its object in an item."""
        id, carried = (file, 90_000_000) if isinstance(file, str) else (file["id"], file["bytes"])
        reply = self._client._send(
            "read", "GET", f"{_file(id)}/content", headers={"Accept": "*/*"}, carried=carried, binary=True
        )
        content: bytes = reply.body
        digest = re.search("sha-256=:([^:]+):", reply.headers.get("Repr-Digest", ""))
        if digest and digest[1] != base64.b64encode(hashlib.sha256(content).digest()).decode():
            raise EdgeFormsError("The downloaded bytes differ from the stored ones.", "unexpected_answer")
        return content

    def get(self, id: str) -> Json:
        """Returns the metadata of a file."""
        file: Json = self._client._send("read", "GET", _file(id)).body
        return file

    def link(self, id: str) -> Json:
        """Creates a `url` that works without a credential until `expires_at`, for at most an hour."""
        link: Json = self._client._send("read", "POST", f"{_file(id)}/link").body
        return link

    def delete(self, id: str) -> None:
        """Deletes a file that no item contains. Succeeds if a response was lost and the file no longer exists."""
        try:
            self._client._send("write", "DELETE", _file(id))
        except EdgeFormsError as error:
            if error.status != 404 or not error.doubtful:
                raise


def _file(id: str) -> str:
    return f"/files/{quote(id, safe='')}"


class Page(NamedTuple):
    items: list[Json]
    #: The start of the next page. None at the end of a list or search.
    cursor: str | None


class Walk:
    """Iterates over all items, page after page. `pages()` returns whole pages. A page may be short or empty without
    being the last.

    A later iteration can continue at `cursor`. The cursor moves to the next page only after you have taken the last
    item of a page. So an interrupted iteration repeats some items and skips none. The cursor is None before the first
    page and after the end of a list or search. A feed has a cursor after every page.
    """

    def __init__(
        self, read: Callable[[str | None], Page], may_continue: Callable[[Page], bool], cursor: str | None
    ) -> None:
        self._read = read
        self._may_continue = may_continue
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
            more = self._may_continue(page)


def verify_webhook(
    secret: str | Iterable[str], headers: Mapping[str, str], body: bytes | str, tolerance: float = 300
) -> Json:
    """Verifies a request (Standard Webhooks) and returns its event with its `id`. Raises `invalid_webhook` if it is
    not genuine.

    `secret` is `whsec_…`, or a list of two during a rotation. `body` is the raw body. `tolerance` is the allowed
    difference between the clocks, in seconds. The same event may arrive more than once. Store `event["id"]` to detect
    this.
    """
    given = {name.lower(): value for name, value in headers.items()}
    id, sent, signatures = (given.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature"))
    if not id:
        raise _refused("The header webhook-id is missing.")
    if not re.fullmatch("[0-9]{1,12}", sent) or not abs(time.time() - int(sent)) <= tolerance:
        raise _refused(f"Its timestamp is not within {tolerance} seconds of now.")
    content = body.encode() if isinstance(body, str) else body
    signed = f"{id}.{sent}.".encode() + content
    received = [each[3:].encode() for each in signatures.split(" ") if each.startswith("v1,")][:10]
    for each in [secret] if isinstance(secret, str) else secret:
        expected = base64.b64encode(hmac.new(_key_of(each), signed, hashlib.sha256).digest())
        # Compares in constant time.
        if any([hmac.compare_digest(expected, signature) for signature in received]):
            return {**json.loads(content), "id": id}
    raise _refused("Its signature does not match the secret.")


def _key_of(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        key = b""
    if not key:
        raise ValueError("The secret is not whsec_ followed by base64.")
    return key


def _refused(reason: str) -> EdgeFormsError:
    return EdgeFormsError(f"This delivery is not genuine. {reason}", "invalid_webhook")


class _Reply(NamedTuple):
    status: int
    headers: http.client.HTTPMessage
    body: Any
    #: Whether an earlier attempt may have succeeded.
    doubtful: bool = False


class _WithoutRedirects(urllib.request.HTTPErrorProcessor):
    """Returns every response unchanged. Follows no redirect, because this would send the credential to another host."""

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
        message = f"The service returned {answer.status} with a body that is not JSON."
        raise EdgeFormsError(message, "unexpected_answer", answer.status) from cause


def _error_of(answer: http.client.HTTPResponse, text: bytes) -> EdgeFormsError:
    """Builds the error of a response outside 2xx."""
    try:
        problem = json.loads(text)
    except ValueError:
        problem = {}
    if not isinstance(problem, dict):
        problem = {}
    # RFC 6749 uses `error` and `error_description` instead of `code` and `detail`.
    code = problem.get("code", problem.get("error"))
    details = (answer.status, problem, _seconds(answer.headers.get("Retry-After")), answer.headers.get("X-Request-Id"))
    if not isinstance(code, str):
        message = f"The service returned {answer.status} without a problem document."
        return EdgeFormsError(message, "unexpected_answer", *details)
    return EdgeFormsError(_message(code, problem), code, *details)


def _message(code: str, problem: Json) -> str:
    """Builds a message that names the first invalid fields."""
    detail = problem.get("detail") or problem.get("error_description") or problem.get("title")
    errors = problem.get("errors") or []
    reasons = "".join(f" {each['field']}: {each['reason']}" for each in errors[:3])
    return f"{code}: {detail}{reasons}" + (f" And {len(errors) - 3} more." if len(errors) > 3 else "")


def _renamed(error: EdgeFormsError, rename: Callable[[str, str], str]) -> EdgeFormsError:
    """Copies an error with fields and pointers that refer to the caller's arguments."""
    if not error.errors:
        return error
    names = ("field", "pointer")
    errors = [{**each, **{name: rename(name, each[name]) for name in names if name in each}} for each in error.errors]
    problem = {**error.problem, "errors": errors}
    details = (error.status, problem, error.retry_after, error.request_id, error.doubtful)
    return EdgeFormsError(_message(error.code, problem), error.code, *details)


def _shift_pointers(error: EdgeFormsError, start: int) -> EdgeFormsError:
    """Converts the pointers of a part to those of all operations."""
    place = re.compile(r"^(/operations/|operations\[)(\d+)")
    return _renamed(error, lambda _, path: place.sub(lambda found: f"{found[1]}{int(found[2]) + start}", path))


def _as_single_item(error: EdgeFormsError) -> EdgeFormsError:
    """Converts the pointers of a batch with one operation to those of the single route."""
    own = {"field": r"^operations\[0\]\.?(data\.)?", "pointer": "^/operations/0"}
    return _renamed(error, lambda name, path: re.sub(own[name], "", path))


def _split(operations: Sequence[Json]) -> list[tuple[int, int]]:
    """Splits operations into the ranges of requests. The same operations always give the same ranges."""
    parts: list[tuple[int, int]] = []
    room = 0
    for index, operation in enumerate(operations):
        size = len(_json(operation)) + 1
        if parts and size <= room and index - parts[-1][0] < MAX_OPERATIONS:
            parts[-1] = (parts[-1][0], index + 1)
        else:
            parts.append((index, index + 1))
            room = MAX_BYTES - len('{"operations":[]}')
        room -= size
    return parts


def _assert_same_body(reply: _Reply) -> _Reply:
    """Raises if an earlier request used the key with another body. The service then writes nothing."""
    if "Idempotency-Key-Mismatch" in reply.headers:
        message = "This key was used with another body. Nothing was written."
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
    """Rejects an empty ETag, such as an unset variable, because the service would write to any version."""
    if tag is not None and not tag.strip():
        raise ValueError(f"{name} is empty. Send an ETag, or omit it to write to any version.")


def _content(data: Json, status: str | None) -> Json:
    return {"data": data, "status": status} if status else {"data": data}


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def _new_key() -> str:
    return secrets.token_hex(16)


def _later(seconds: float) -> float:
    """Adds a random delay, so that callers that waited together do not continue at the same moment."""
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
