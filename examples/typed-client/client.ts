import createClient from "openapi-fetch";
import type { components, paths } from "./purchase.ts";

/**
 * A typed client of the form `purchase`. `purchase.ts` is generated from the form's own document, as the README says.
 */

type Submission = components["schemas"]["PurchaseSubmission"];
type NewSubmission = components["schemas"]["PurchaseSubmissionCreate"];
type Condition = components["schemas"]["PurchaseSubmissionCondition"];

const list = "/forms/purchase/submissions";
const mostTries = 5;

export class Purchases {
  readonly #client;

  constructor(url: string, token: string) {
    this.#client = createClient<paths>({
      baseUrl: `${url}/api/v1`,
      headers: { Authorization: `Bearer ${token}` },
      fetch: patient,
    });
  }

  /** Creates once, however often it is called with the same key. */
  async create(body: NewSubmission, key: string): Promise<Submission> {
    const params = { header: { "Idempotency-Key": key } };
    const { data, error } = await this.#client.POST(list, { body, params });
    if (error) {
      // Each problem has a type of its own, told by its code.
      const errors = error.code === "invalid_input" ? JSON.stringify(error.errors) : "";
      throw new Error(`${error.code}: ${error.detail} ${errors}`);
    }
    return data;
  }

  /** Every submission, page by page: `links.next` says where to go on, until it is null. */
  async *all(limit = 50): AsyncGenerator<Submission> {
    for (let cursor: string | null | undefined; cursor !== null;) {
      const query = cursor === undefined ? { limit } : { limit, cursor };
      const { data, error } = await this.#client.GET(list, { params: { query } });
      if (error) throw new Error(`${error.code}: ${error.detail}`);
      // Text is what a download is, which this did not ask for.
      if (typeof data === "string") throw new TypeError("A page was asked for.");
      yield* data.items;
      cursor = data.links.next && new URL(data.links.next).searchParams.get("cursor");
    }
  }

  /** Those that meet the conditions. A page may be short, even empty: only `next: null` is the end. */
  async *search(conditions: Condition[]): AsyncGenerator<Pick<Submission, "id" | "status">> {
    for (let cursor: string | null | undefined; cursor !== null;) {
      const params = cursor === undefined ? {} : { query: { cursor } };
      const { data, error } = await this.#client.POST(`${list}/search`, {
        body: { conditions },
        params,
      });
      if (error) throw new Error(`${error.code}: ${error.detail}`);
      // Text is what a download is, which this did not ask for.
      if (typeof data === "string") throw new TypeError("A page was asked for.");
      yield* data.items;
      cursor = data.links.next && new URL(data.links.next).searchParams.get("cursor");
    }
  }
}

/**
 * Sends a request again when the service asks for that (429 and 503, after `Retry-After` seconds), or when the
 * connection broke and sending it twice does no harm: reads, and creates with an Idempotency-Key.
 */
async function patient(request: Request): Promise<Response> {
  const harmless = request.method === "GET" || request.headers.has("Idempotency-Key");
  for (let tries = 1; ; tries += 1) {
    const answer = await fetch(request.clone()).catch((error: unknown) => {
      if (!harmless || tries === mostTries) throw error;
      return undefined;
    });
    const again = answer === undefined || answer.status === 429 || answer.status === 503;
    if (answer && (!again || tries === mostTries)) return answer;
    const seconds = Number(answer?.headers.get("Retry-After") ?? 2 ** tries / 4);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
}
