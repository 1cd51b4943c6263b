import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Attachment } from "./data.ts";

/** The secrets of the demo's credentials. The secret of the API client has the format `id:secret`. */
export type Secrets = Record<"staff" | "shop" | "website" | "erp", string>;

interface Create {
  at: number;
  path: string;
  body: { data: object };
  /** A file that is attached when the item is created. */
  attachment?: Attachment | undefined;
  /** A file that staff attach a day later. */
  later?: Attachment | undefined;
}

interface Planned {
  at: number;
  run: () => Promise<unknown>;
}

export type Send = (
  method: string,
  path: string,
  body?: object,
  headers?: Record<string, string>,
) => Promise<{ status: number; body: unknown }>;

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;

/**
 * Three months of requests, sent in the order of their times. The clock of the demo's Worker is set to each of these
 * times.
 */
export class Traffic {
  readonly #url: string;
  #now = 0;
  #planned: Planned[] = [];

  constructor(url: string) {
    this.#url = url;
  }

  async setClock(time: number): Promise<void> {
    this.#now = time;
    await fetch(`${this.#url}/clock`, { headers: { "Demo-Time": String(time) } });
  }

  /** Sends requests with this bearer. A response that the demo does not expect stops it. */
  as(bearer: string, expected?: number): Send {
    return async (method, path, body, headers = {}) => {
      const response = await fetch(`${this.#url}/api/v1${path}`, {
        method,
        headers: {
          Authorization: `Bearer ${bearer}`,
          "Content-Type": "application/json",
          "Demo-Time": String(this.#now),
          ...headers,
        },
        ...(body ? { body: body instanceof Blob ? body : JSON.stringify(body) } : {}),
      });
      const text = await response.text();
      const { status } = response;
      if (expected === undefined ? !response.ok : status !== expected)
        throw new Error(`The demo failed: ${method} ${path}: ${status} ${text}`);
      return { status, body: text === "" ? null : JSON.parse(text) };
    };
  }

  /** Runs the requests that are planned up to this time. */
  async run(until: number): Promise<void> {
    for (;;) {
      this.#planned.sort((a, b) => a.at - b.at);
      const [next] = this.#planned;
      if (!next || next.at > until) break;
      this.#planned.shift();
      this.#now = Math.max(this.#now, Math.floor(next.at));
      await next.run();
    }
    await this.setClock(until);
  }

  plan(
    secrets: Secrets,
    items: Record<"orders" | "purchases" | "questions", Create[]>,
    now: number,
  ) {
    const shop = this.as(secrets.shop);
    const website = this.as(secrets.website);
    const staff = this.as(secrets.staff);
    this.#creates(items.orders, shop);
    this.#creates(items.purchases, website, { staff, now });
    this.#creates(items.questions, website, { staff, now });
    this.#reads(secrets.erp, now);
    this.#refusals(secrets, now);
    this.#changes(shop, now);
  }

  #at(at: number, run: () => Promise<unknown>): void {
    this.#planned.push({ at, run });
  }

  /** Creates items. With `closing`, most submissions older than two weeks are closed some days after their creation. */
  #creates(items: Create[], send: Send, closing?: { staff: Send; now: number }): void {
    for (const [index, { at, path, body, attachment, later }] of items.entries()) {
      this.#at(at, async () => {
        const key = { "Idempotency-Key": `${path}-${index}` };
        const files = attachment && (await upload(send, attachment));
        const data = { ...body.data, ...files };
        const { body: created } = await send("POST", path, { ...body, data }, key);
        const { id, status } = created as { id: string; status?: string };
        if (later && closing) {
          const { staff } = closing;
          this.#at(at + dayMs, async () =>
            staff("PATCH", `/submissions/${id}`, { data: await upload(staff, later) }),
          );
        }
        if (!closing || status !== "submitted" || at > closing.now - 14 * dayMs) return;
        // The examples of the documentation change the first submissions.
        if (index < 3 || index % 4 === 1) return;
        this.#at(at + (2 + (index % 5)) * dayMs, () =>
          closing.staff("PATCH", `/submissions/${id}`, { status: "closed" }),
        );
      });
    }
  }

  /** The ERP system fetches orders and purchases every night for 30 days, and looks for new orders on the last day. */
  #reads(client: string, now: number): void {
    for (let at = now - 29 * dayMs; at < now; at += dayMs) {
      this.#at(at, async () => {
        const send = this.as(await this.#accessToken(client));
        const isWeekend = [0, 6].includes(new Date(at).getUTCDay());
        await send("GET", "/apps/orders/records?limit=50");
        if (!isWeekend) await send("GET", "/forms/purchase/submissions?limit=50");
      });
    }
    for (let at = now - dayMs; at < now - hourMs; at += 1.5 * hourMs) {
      this.#at(at, async () => {
        const send = this.as(await this.#accessToken(client));
        await send("POST", "/apps/orders/records/search", {
          conditions: [{ field: "state", op: "eq", value: "new" }],
        });
      });
    }
  }

  async #accessToken(client: string): Promise<string> {
    const response = await fetch(`${this.#url}/oauth/token`, {
      method: "POST",
      headers: {
        Authorization: `Basic ${Buffer.from(client).toString("base64")}`,
        "Content-Type": "application/x-www-form-urlencoded",
        "Demo-Time": String(this.#now),
      },
      body: "grant_type=client_credentials",
    });
    return ((await response.json()) as { access_token: string }).access_token;
  }

  /**
   * Failed requests of the last day: a missing permission, an unknown form, invalid data, an old version, a reached
   * limit.
   */
  #refusals({ shop, website, erp }: Secrets, now: number): void {
    const hoursAgo = (hours: number) => now - hours * hourMs;
    for (const hours of [19, 11, 3.2]) {
      this.#at(hoursAgo(hours), () => this.as(website, 403)("GET", "/forms/helpdesk/submissions"));
    }
    this.#at(hoursAgo(18), () => this.as(shop, 404)("GET", "/apps/order/records?limit=50"));
    for (const hours of [15, 7.5]) {
      const data = { subject: "", name: "Owen Davies", mail: "owen.davies@mail.example" };
      this.#at(hoursAgo(hours), () =>
        this.as(website, 422)("POST", "/forms/helpdesk/submissions", { data }),
      );
    }
    this.#at(hoursAgo(5), () =>
      this.as(shop, 412)(
        "PATCH",
        "/apps/orders/records/ORD-000090",
        { data: { state: "sent" } },
        {
          "If-Match": '"7"',
        },
      ),
    );
    this.#at(hoursAgo(2), () => this.#reachLimit(erp));
  }

  /** The ERP system reads more often than its limit of 30 requests a minute allows. */
  async #reachLimit(client: string): Promise<void> {
    const bearer = await this.#accessToken(client);
    for (let count = 0; count < 30; count += 1) await this.as(bearer)("GET", "/apps/orders/schema");
    for (let count = 0; count < 4; count += 1)
      await this.as(bearer, 429)("GET", "/apps/orders/schema");
  }

  /** The shop changes some orders of the last days to sent. */
  #changes(send: Send, now: number): void {
    for (const [index, number] of ["000083", "000085", "000087", "000088"].entries()) {
      this.#at(now - (9 - index * 2) * hourMs, () =>
        send("PATCH", `/apps/orders/records/ORD-${number}`, { data: { state: "sent" } }),
      );
    }
  }
}

/** Uploads a file. Returns the data of an item that contains the file. */
async function upload(send: Send, { collection, field, file }: Attachment): Promise<object> {
  const content = readFileSync(new URL(`files/${file}`, import.meta.url));
  const sha256 = createHash("sha256").update(content).digest("hex");
  const place = { collection, field, name: file, bytes: content.length, sha256 };
  const { id } = (await send("POST", "/files", place)).body as { id: string };
  await send("PUT", `/files/${id}/content`, new Blob([content]));
  return { [field]: [id] };
}
