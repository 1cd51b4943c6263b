import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { host } from "../support/client";
import { adminRequest, client, makeForm } from "../support/service";
import { createItems } from "../support/batches";
import { copyItem } from "../support/copies";
import { serve } from "../support/serve";

/** Enough rows for a download in several steps. */
const rows = 1300;

it.each([
  ["text/csv", "GET", ""],
  ["text/csv; profile=spreadsheet", "POST", "/search"],
])(
  "aborts a download (%s, %s) or completes it without losing a column when a field is renamed",
  async (accept, method, path) => {
    const integrator = await client();
    const form = await makeForm(integrator, [{ key: "a", type: "text" }]);
    const first = await integrator.post(`/forms/${form}/submissions`, { data: { a: "v0#" } });
    await copyItem(first.body.id, rows - 1);
    const request = new Request(`${host}/api/v1/forms/${form}/submissions${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${integrator.bearer}`,
        Accept: accept,
        "Content-Type": "application/json",
      },
      ...(method === "POST" ? { body: "{}" } : {}),
    });
    const response = await serve(request, env, createExecutionContext());
    const reader = response.body?.getReader();
    if (!reader) throw new Error("There is no body.");
    let text = new TextDecoder().decode((await reader.read()).value);
    const fields = [{ key: "b", type: "text", renamed_from: "a" }];
    expect((await integrator.put(`/forms/${form}/schema`, { fields })).status).toBe(200);
    const readToEnd = async () => {
      for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
        text += new TextDecoder().decode(chunk.value);
      }
    };
    const hasBrokenOff = await readToEnd().then(
      () => false,
      () => true,
    );
    const lines = text
      .replace(/^\ufeff/, "")
      .trim()
      .split("\r\n")
      .slice(1);
    expect(lines.filter((line) => !/v\d/.test(line))).toEqual([]);
    expect(hasBrokenOff || lines.length === rows).toBe(true);
  },
);

it.each(["the API", "the administration area"])(
  "never adds items of a changed view to a download of %s",
  async (place) => {
    const integrator = await client();
    const viewOf = (value: string) => ({
      views: [{ key: "v", name: "V", conditions: [{ field: "a", op: "eq", value }] }],
    });
    const fields = ["a", "b"].map((key) => ({ key, type: "text" }));
    const form = await makeForm(integrator, fields, viewOf("former"));
    const create = (count: number, a: string) => {
      const items = Array.from({ length: count }, () => ({ a, b: "x".repeat(900) }));
      return createItems(integrator, `/forms/${form}/submissions`, items);
    };
    await create(10, "later");
    // The first step fills several chunks.
    await create(520, "former");
    await create(10, "later");
    const request =
      place === "the API"
        ? new Request(`${host}/api/v1/forms/${form}/submissions?view=v`, {
            headers: {
              Authorization: `Bearer ${integrator.bearer}`,
              Accept: "application/x-ndjson",
            },
          })
        : await adminRequest("GET", `/forms/${form}/items/export?view=v&format=ndjson`);
    const response = await serve(request, env, createExecutionContext());
    const reader = response.body?.getReader();
    if (!reader) throw new Error("There is no body.");
    let text = new TextDecoder().decode((await reader.read()).value);
    expect(text).toContain('"former"');
    expect((await integrator.patch(`/forms/${form}/schema`, viewOf("later"))).status).toBe(200);
    try {
      for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read())
        text += new TextDecoder().decode(chunk.value);
    } catch {
      // The change aborted the download.
    }
    expect(text).not.toContain('"later"');
  },
  20_000,
);
