import { problem, type Answer, type Request } from "./failing-service.ts";

interface Stored {
  id: string;
  version: number;
  etag: string;
  data: Record<string, unknown>;
}

/** Simulates the service's rules that a client relies on: idempotency keys and ETags. */
export class StoredItems {
  readonly items = new Map<string, Stored>();
  readonly #answers = new Map<string, Answer>();

  readonly serve = (request: Request): Answer => {
    const key = request.headers["idempotency-key"] as string | undefined;
    const scope = `${request.path} ${key}`;
    const earlier = key === undefined ? undefined : this.#answers.get(scope);
    if (earlier) return { ...earlier, headers: { "Idempotent-Replayed": "true" } };
    const answer = this.#execute(request);
    if (key !== undefined && answer.status < 300) this.#answers.set(scope, withoutItems(answer));
    return answer;
  };

  add(data: Record<string, unknown>): Stored {
    const id = `rec_${this.items.size + 1}`;
    const item = { id, version: 1, etag: '"1"', data };
    this.items.set(id, item);
    return item;
  }

  #execute({ method, path, body }: Request): Answer {
    const id = path.split("/").at(-1) ?? "";
    if (path.endsWith("/batch")) return this.#batch(body.operations);
    if (method === "POST") return { status: 201, body: this.add(body.data) };
    const item = this.items.get(id);
    if (!item) return problem(404, "not_found");
    if (method === "DELETE") this.items.delete(id);
    return method === "DELETE" ? { status: 204 } : { status: 200, body: item };
  }

  // oxlint-disable-next-line typescript/no-explicit-any
  #batch(operations: any[]): Answer {
    for (const [index, { data }] of operations.entries()) {
      if (data?.big) return problem(413, "too_large");
      const location = {
        field: `operations[${index}].data.bad`,
        pointer: `/operations/${index}/data/bad`,
      };
      const errors = [{ ...location, code: "unknown_field", reason: "There is none." }];
      if (data?.bad) return problem(422, "invalid_input", { errors });
    }
    if (operations.filter(({ data }) => data?.heavy).length > 10) return problem(413, "too_large");
    const results = [];
    for (const { op, id, data, if_match: expected } of operations) {
      const current = this.items.get(id);
      if (op === "create") {
        const item = this.add(data);
        results.push({ op, outcome: "created", id: item.id, etag: item.etag, item });
        continue;
      }
      if (!current) return problem(404, "not_found");
      if (expected && expected !== current.etag) return problem(412, "version_mismatch");
      const version = current.version + 1;
      const item = { id, version, etag: `"${version}"`, data: { ...current.data, ...data } };
      this.items.set(id, item);
      results.push({ op, outcome: "updated", id, etag: item.etag, item });
    }
    return { status: 200, body: { results } };
  }
}

/** Removes items from a batch response, because the service replays batches without items. */
function withoutItems(answer: Answer): Answer {
  const { results } = answer.body as { results?: { item?: unknown }[] };
  if (!results) return answer;
  const resultsWithoutItems = results.map((result) => ({ ...result, item: undefined }));
  return { ...answer, body: { results: resultsWithoutItems } };
}
