import { Collection } from "./collection.ts";
import { EdgeFormsError } from "./problem.ts";
import { assertTag, type Transport } from "./transport.ts";
import type {
  CallOptions,
  Shape,
  SubmissionItem,
  Untyped,
  Warning,
  WriteOptions,
} from "./types.ts";

type NewStatus = "draft" | "submitted";

export interface Checked<T extends Shape> {
  valid: true;
  form: string;
  status: NewStatus;
  data: T["data"];
  warnings?: Warning[];
}

/** The submissions of a form. */
export class Submissions<T extends Shape = Untyped> extends Collection<SubmissionItem<T>, T> {
  readonly #list: string;

  constructor(transport: Transport, form: string) {
    const base = `/forms/${encodeURIComponent(form)}`;
    const list = `${base}/submissions`;
    super(transport, { list, changes: `${base}/changes`, item: itemPath });
    this.#list = list;
  }

  /** Creates the submission once, even if responses are lost. Drafts may omit required fields. */
  async create(
    data: T["create"],
    options?: WriteOptions & { status?: "submitted" | undefined },
  ): Promise<SubmissionItem<T>>;
  async create(
    data: T["draft"],
    options: WriteOptions & { status: "draft" },
  ): Promise<SubmissionItem<T>>;
  async create(
    data: T["create"] | T["draft"],
    { status, ...options }: WriteOptions & { status?: NewStatus | undefined } = {},
  ): Promise<SubmissionItem<T>> {
    return this.createOne(data, status, options);
  }

  /** Runs the same checks as `create` without storing anything. Throws the errors that `create` would throw. */
  async validate(
    data: T["create"],
    { status, signal }: CallOptions & { status?: NewStatus | undefined } = {},
  ): Promise<Checked<T>> {
    const body = status === undefined ? { data } : { data, status };
    const path = `${this.#list}/validate`;
    const request = { method: "POST", path, body, lane: "read", safe: true, signal } as const;
    return (await this.transport.send(request)).body as Checked<T>;
  }

  async delete(
    id: string,
    { ifMatch, signal }: CallOptions & { ifMatch?: string | undefined } = {},
  ): Promise<void> {
    assertTag("ifMatch", ifMatch);
    const headers: Record<string, string> = ifMatch === undefined ? {} : { "If-Match": ifMatch };
    const request = {
      method: "DELETE",
      path: itemPath(id),
      headers,
      lane: "write",
      safe: true,
    } as const;
    try {
      await this.transport.send({ ...request, signal });
    } catch (error) {
      // An earlier attempt whose response was lost has probably deleted it.
      if (error instanceof EdgeFormsError && error.status === 404 && error.doubtful) return;
      throw error;
    }
  }
}

function itemPath(id: string): string {
  return `/submissions/${encodeURIComponent(id)}`;
}
