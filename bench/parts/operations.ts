import { fields, sentData } from "../fill.ts";
import type { Call } from "../measure/load.ts";
import { project } from "../serve/bundle.ts";
import { Service, type Bundles } from "../serve/service.ts";
import { calls } from "./bench.ts";

const twoConditions = {
  conditions: [
    { field: "department", op: "eq", value: "department 3" },
    { field: "amount", op: "between", value: [400_000, 500_000] },
  ],
};

export interface Operation {
  name: string;
  method: string;
  path: string;
  status: number;
  body?: (turn: number) => object;
  headers?: (turn: number) => Record<string, string>;
}

export const operations: Operation[] = [
  {
    name: "get",
    method: "GET",
    path: `/submissions/sub_${String(5000).padStart(26, "0")}`,
    status: 200,
  },
  { name: "list", method: "GET", path: "/forms/big/submissions", status: 200 },
  {
    name: "search",
    method: "POST",
    path: "/forms/big/submissions/search",
    status: 200,
    body: () => twoConditions,
  },
  {
    name: "create",
    method: "POST",
    path: "/forms/small/submissions",
    status: 201,
    body: (turn) => ({ data: sentData(turn) }),
    headers: () => ({ "Idempotency-Key": crypto.randomUUID() }),
  },
];

export function callsOf(operation: Operation, base: string, tokens: readonly string[]): () => Call {
  const { method, path, body, headers } = operation;
  return calls(tokens, method, base + path, body, headers);
}

/** Starts a service with the forms of the operations: `big` with `scale` submissions, and `small`, which is empty. */
export async function prepared(
  folder: string,
  bundles: Bundles,
  scale: number,
  tokenCount: number,
  options: string[] = [],
  root = project,
  databases: readonly string[] = ["DB"],
): Promise<{ service: Service; tokens: string[]; started: number }> {
  const service = new Service(folder, bundles, root, databases);
  await service.begin();
  const tokens = await service.tokens(tokenCount);
  const indexedFields = fields.filter(({ key }) => key !== "lines" && key !== "note");
  await service.define("big", tokens[0] ?? "", fields);
  await service.define("small", tokens[0] ?? "", indexedFields);
  await service.stop();
  await service.fill("big", scale);
  return { service, tokens, started: await service.start(options) };
}

/** Follows the cursors of a list past `depth` items, and returns the URL of the next page. */
export async function pageAt(
  service: Service,
  tokens: readonly string[],
  depth: number,
): Promise<string> {
  let url = `${service.url()}/api/v1/forms/big/submissions?limit=200`;
  for (let skipped = 0; skipped < depth; skipped += 200) {
    const token = tokens[(skipped / 200) % tokens.length];
    const response = await fetch(url, { headers: { Authorization: `Bearer ${token}` } });
    const page = (await response.json()) as { links: { next: string | null } };
    if (page.links.next === null) break;
    url = page.links.next;
  }
  return url.replace("limit=200", "limit=50");
}
