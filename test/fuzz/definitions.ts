import { findExceededLimit } from "../../src/domain/json.ts";
import fc from "fast-check";
import type { Answer, Client, Json } from "../support/client";
import { host, root } from "../support/client";
import { starts, type Start } from "../support/documents";
import { freshKey, ownerCookie } from "../support/service";
import { sendChecked, Violation, type FuzzRequest } from "./violations";
import { applyMutations, anyMutation } from "./mutations";
import { rules } from "./rules";
import { serialize } from "./values";

/** Mostly one mutation: with several, one invalid mutation hides the others. */
const mutationList = fc.oneof(
  { weight: 3, arbitrary: fc.array(anyMutation(rules), { minLength: 1, maxLength: 1 }) },
  { weight: 1, arbitrary: fc.array(anyMutation(rules), { maxLength: 4 }) },
);

/** PUTs one or two documents after another, each a valid document with mutations. */
export const definitionCase = fc.record({
  start: fc.constantFrom(...Object.keys(starts)),
  /** Whether the collection exists before, with an item. */
  exists: fc.boolean(),
  puts: fc.array(mutationList, { minLength: 1, maxLength: 2 }),
  /** How to use a definition that was accepted. */
  use: fc.constantFrom("openapi", "list", "search", "validate", "create", "update", "pages"),
});
type DefinitionCase = typeof definitionCase extends fc.Arbitrary<infer Case> ? Case : never;

/** Unused keys by kind, and unchanged collections by start. A collection that a PUT changes is not used again. */
const unusedKeys = new Map<string, string>();
const untouchedKeys = new Map<string, string>();

export class Definitions {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  async runCase({ start: name, exists, puts, use }: DefinitionCase): Promise<void> {
    const start = starts[name] as Start;
    const key = exists ? await this.#untouchedCollection(name, start) : this.#unusedKey(start.kind);
    const path = `/${start.kind}s/${key}`;
    for (const mutations of puts) {
      const document = start.documents.at(-1);
      const body = serialize(applyMutations(document, mutations));
      const answer = await this.#send("PUT", `${path}/schema`, body);
      if (answer.status === 422) {
        const errors: Json[] = answer.body.errors;
        // JSON that is nested too deeply is rejected before it is read as a definition.
        const limits = { maxValues: Infinity, maxLevels: 32 };
        const expected = findExceededLimit(body, limits) ? "invalid_type" : "invalid_definition";
        const isValid = errors.every(
          ({ code, pointer }) => code === expected && typeof pointer === "string",
        );
        this.#expect(
          "a definition is rejected as invalid_definition, with pointers",
          answer,
          isValid,
        );
      }
      if (answer.status >= 400) continue;
      unusedKeys.delete(start.kind);
      untouchedKeys.delete(name);
      if (answer.status !== 202) await this.#checkAccepted(path, start, answer, use);
    }
  }

  /** An accepted definition reads back equal, can be PUT again without a new version, and works. */
  async #checkAccepted(
    path: string,
    start: Start,
    accepted: Answer,
    use: DefinitionCase["use"],
  ): Promise<void> {
    const current = await this.#send("GET", `${path}/schema`);
    this.#expect("an accepted definition can be read", current, current.status === 200);
    const isSame = definitionText(current) === definitionText(accepted);
    this.#expect("an accepted definition reads back equal", current, isSame);
    const repeated = await this.#send("PUT", `${path}/schema`, current.text);
    this.#expect("a definition can be PUT unchanged", repeated, repeated.status === 200);
    const isUnchanged = definitionText(repeated) === definitionText(current);
    this.#expect("an unchanged PUT creates no version", repeated, isUnchanged);
    await this.#use(path, start, use);
  }

  async #use(path: string, { kind, data }: Start, use: DefinitionCase["use"]): Promise<void> {
    const items = `${path}/${kind === "app" ? "records" : "submissions"}`;
    switch (use) {
      case "openapi":
        return this.#expectOk(await this.#send("GET", `${path}/openapi.json`));
      case "list":
        return this.#expectOk(await this.#send("GET", `${items}?limit=5`));
      case "search":
        return this.#expectOk(await this.#send("POST", `${items}/search`, "{}"));
      case "validate":
      case "create": {
        // The data was valid for the original definition. The new one may reject it.
        const suffix = use === "validate" && kind === "form" ? "/validate" : "";
        await this.#send("POST", items + suffix, serialize({ data: data() }));
        return undefined;
      }
      case "update": {
        const [item] = (await this.#send("GET", items)).body.items;
        if (!item) return undefined;
        const itemPath = kind === "app" ? `${items}/${item.id}` : `/submissions/${item.id}`;
        await this.#send("PATCH", itemPath, serialize({ data: data() }));
        return this.#expectOk(await this.#send("PATCH", itemPath, '{"data":{}}'));
      }
      case "pages":
        for (const page of ["", "/items", "/items/new"]) {
          this.#expectOk(await this.#page(path + page));
        }
    }
  }

  #expectOk(answer: Answer): void {
    this.#expect("an accepted definition works", answer, answer.status === 200);
  }

  #lastRequest: FuzzRequest | undefined;

  #send(method: string, path: string, body?: string): Promise<Answer> {
    const headers = {
      Authorization: `Bearer ${this.#client.bearer}`,
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
    };
    return this.#sendChecked({ method, url: root + path, headers, body });
  }

  async #page(path: string): Promise<Answer> {
    const headers = { Accept: "text/html", Cookie: await ownerCookie() };
    return this.#sendChecked({ method: "GET", url: `${host}/admin${path}`, headers });
  }

  #sendChecked(request: FuzzRequest): Promise<Answer> {
    this.#lastRequest = request;
    return sendChecked(request);
  }

  #expect(rule: string, answer: Answer, condition: boolean): void {
    if (!condition && this.#lastRequest) throw new Violation(rule, this.#lastRequest, answer);
  }

  #unusedKey(kind: string): string {
    const key = unusedKeys.get(kind) ?? freshKey(kind);
    unusedKeys.set(kind, key);
    return key;
  }

  async #untouchedCollection(name: string, { kind, documents, data }: Start): Promise<string> {
    const untouchedKey = untouchedKeys.get(name);
    if (untouchedKey !== undefined) return untouchedKey;
    const key = freshKey(name);
    const path = `/${kind}s/${key}`;
    const answers: Answer[] = [];
    for (const document of documents)
      answers.push(await this.#client.put(`${path}/schema`, document));
    const items = kind === "app" ? "records" : "submissions";
    answers.push(await this.#client.post(`${path}/${items}`, { data: data() }));
    const failed = answers.find(({ status }) => status >= 300);
    if (failed) throw new Error(`Cannot create the collection: ${failed.text}`);
    untouchedKeys.set(name, key);
    return key;
  }
}

/** The definition as text, without the progress of background work. */
function definitionText({ body }: Answer): string {
  return JSON.stringify({ ...body, indexing: undefined, pending: undefined });
}
