import fc from "fast-check";
import type { Answer, Client, Json } from "../support/client";
import { host, root } from "../support/client";
import { starts, type Start } from "../support/documents";
import { freshKey, ownerCookie } from "../support/service";
import { ask, Violation, type Asked } from "./judge";
import { mutated, mutation } from "./mutations";
import { rules } from "./rules";
import { written } from "./values";

/** Mostly one: of several, one is refused soon and hides the others. */
const some = fc.oneof(
  { weight: 3, arbitrary: fc.array(mutation(rules), { minLength: 1, maxLength: 1 }) },
  { weight: 1, arbitrary: fc.array(mutation(rules), { maxLength: 4 }) },
);

/** One or two documents, each a start that was changed, that are put one after another. */
export const definitionCase = fc.record({
  start: fc.constantFrom(...Object.keys(starts)),
  /** Whether there is something to change already, with an item that is stored. */
  exists: fc.boolean(),
  puts: fc.array(some, { minLength: 1, maxLength: 2 }),
  /** What is asked of a definition that was accepted. */
  use: fc.constantFrom("openapi", "list", "search", "validate", "create", "update", "pages"),
});
type DefinitionCase = typeof definitionCase extends fc.Arbitrary<infer Case> ? Case : never;

/** Keys that are free, and collections as their start made them: another one is made once it has been changed. */
const free = new Map<string, string>();
const untouched = new Map<string, string>();

export class Definitions {
  readonly #by: Client;

  constructor(by: Client) {
    this.#by = by;
  }

  async try({ start: name, exists, puts, use }: DefinitionCase): Promise<void> {
    const start = starts[name] as Start;
    const key = exists ? await this.#existing(name, start) : this.#free(start.kind);
    const path = `/${start.kind}s/${key}`;
    for (const mutations of puts) {
      const document = start.documents.at(-1);
      const answer = await this.#send(
        "PUT",
        `${path}/schema`,
        written(mutated(document, mutations)),
      );
      if (answer.status === 422) {
        const errors: Json[] = answer.body.errors;
        const right = errors.every(
          ({ code, pointer }) => code === "invalid_definition" && typeof pointer === "string",
        );
        this.#expect("a definition is refused as invalid_definition, with pointers", answer, right);
      }
      if (answer.status >= 400) continue;
      free.delete(start.kind);
      untouched.delete(name);
      if (answer.status !== 202) await this.#holds(path, start, answer, use);
    }
  }

  /** What was accepted reads back as it is, can be sent back, and breaks nothing else. */
  async #holds(
    path: string,
    start: Start,
    accepted: Answer,
    use: DefinitionCase["use"],
  ): Promise<void> {
    const read = await this.#send("GET", `${path}/schema`);
    this.#expect("what is accepted can be read", read, read.status === 200);
    const same = stable(read) === stable(accepted);
    this.#expect("what is accepted is what is read", read, same);
    const again = await this.#send("PUT", `${path}/schema`, read.text);
    this.#expect("what was read can be sent back", again, again.status === 200);
    const kept = stable(again) === stable(read);
    this.#expect("what is sent back unchanged makes no version", again, kept);
    await this.#use(path, start, use);
  }

  async #use(path: string, { kind, data }: Start, use: DefinitionCase["use"]): Promise<void> {
    const items = `${path}/${kind === "app" ? "records" : "submissions"}`;
    switch (use) {
      case "openapi":
        return this.#works(await this.#send("GET", `${path}/openapi.json`));
      case "list":
        return this.#works(await this.#send("GET", `${items}?limit=5`));
      case "search":
        return this.#works(await this.#send("POST", `${items}/search`, "{}"));
      case "validate":
      case "create": {
        // What is sent was right for the definition before; now it may be refused.
        const dry = use === "validate" && kind === "form" ? "/validate" : "";
        await this.#send("POST", items + dry, written({ data: data() }));
        return undefined;
      }
      case "update": {
        const [item] = (await this.#send("GET", items)).body.items;
        if (!item) return undefined;
        const own = kind === "app" ? `${items}/${item.id}` : `/submissions/${item.id}`;
        await this.#send("PATCH", own, written({ data: data() }));
        return this.#works(await this.#send("PATCH", own, '{"data":{}}'));
      }
      case "pages":
        for (const page of ["", "/items", "/items/new"]) {
          this.#works(await this.#page(path + page));
        }
    }
  }

  #works(answer: Answer): void {
    this.#expect("what is accepted can be used", answer, answer.status === 200);
  }

  #last: Asked | undefined;

  #send(method: string, path: string, body?: string): Promise<Answer> {
    const headers = {
      Authorization: `Bearer ${this.#by.bearer}`,
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
    };
    return this.#ask({ method, url: root + path, headers, body });
  }

  async #page(path: string): Promise<Answer> {
    const headers = { Accept: "text/html", Cookie: await ownerCookie() };
    return this.#ask({ method: "GET", url: `${host}/admin${path}`, headers });
  }

  #ask(asked: Asked): Promise<Answer> {
    this.#last = asked;
    return ask(asked);
  }

  #expect(rule: string, answer: Answer, holds: boolean): void {
    if (!holds && this.#last) throw new Violation(rule, this.#last, answer);
  }

  #free(kind: string): string {
    const key = free.get(kind) ?? freshKey(kind);
    free.set(kind, key);
    return key;
  }

  async #existing(name: string, { kind, documents, data }: Start): Promise<string> {
    const known = untouched.get(name);
    if (known !== undefined) return known;
    const key = freshKey(name);
    const path = `/${kind}s/${key}`;
    const answers: Answer[] = [];
    for (const document of documents) answers.push(await this.#by.put(`${path}/schema`, document));
    const items = kind === "app" ? "records" : "submissions";
    answers.push(await this.#by.post(`${path}/${items}`, { data: data() }));
    const failed = answers.find(({ status }) => status >= 300);
    if (failed) throw new Error(`A start is no good: ${failed.text}`);
    untouched.set(name, key);
    return key;
  }
}

/** A definition without what tells how far the work behind it is. */
function stable({ body }: Answer): string {
  return JSON.stringify({ ...body, indexing: undefined, pending: undefined });
}
