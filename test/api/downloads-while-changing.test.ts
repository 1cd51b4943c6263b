import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { app } from "../../src/app.ts";
import { host } from "../support/client";
import { client, makeForm } from "../support/service";

/** Enough that a download takes several steps. */
const rows = 1300;

it.each([
  ["text/csv", "GET", ""],
  ["text/csv; profile=spreadsheet", "POST", "/search"],
])(
  "a download (%s, %s) breaks off when a field is renamed meanwhile, and loses no column",
  async (accept, method, path) => {
    const by = await client();
    const form = await makeForm(by, [{ key: "a", type: "text" }]);
    for (let i = 0; i < rows; i += 100) {
      const some = Array.from({ length: 100 }, (_, k) => ({ data: { a: `v${i + k}` } }));
      await Promise.all(some.map((body) => by.post(`/forms/${form}/submissions`, body)));
    }
    const request = new Request(`${host}/api/v1/forms/${form}/submissions${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${by.bearer}`,
        Accept: accept,
        "Content-Type": "application/json",
      },
      ...(method === "POST" ? { body: "{}" } : {}),
    });
    const response = await app.fetch(request, env, createExecutionContext());
    const reader = response.body?.getReader();
    if (!reader) throw new Error("There is no body.");
    let text = new TextDecoder().decode((await reader.read()).value);
    const fields = [{ key: "b", type: "text", renamed_from: "a" }];
    expect((await by.put(`/forms/${form}/schema`, { fields })).status).toBe(200);
    const rest = async () => {
      for (let step = await reader.read(); !step.done; step = await reader.read()) {
        text += new TextDecoder().decode(step.value);
      }
    };
    const broken = await rest().then(
      () => false,
      () => true,
    );
    const lines = text
      .replace(/^\ufeff/, "")
      .trim()
      .split("\r\n")
      .slice(1);
    expect(lines.filter((line) => !/v\d/.test(line))).toEqual([]);
    expect(broken || lines.length === rows).toBe(true);
  },
  60_000,
);
