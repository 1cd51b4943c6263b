import { expect, it } from "vitest";
import { createLineFilter } from "../../src/dev/wrangler-lines.ts";

const printed = (output: string) => output.split("\n").filter(createLineFilter()).join("\n");

it("hides the table of bindings and the failed fetch of Request.cf with its stack trace", () => {
  const output = `[custom build] Running: node src/dev/assets.ts
Your Worker has access to the following bindings:
Binding                             Resource                  Mode
env.GATE (CredentialGate)           Durable Object            local
env.ORIGIN ("")                     Environment Variable      local
[wrangler:warn] Unable to fetch the \`Request.cf\` object! Falling back to a default placeholder...
Error: getaddrinfo ENOTFOUND workers.cloudflare.com
    at GetAddrInfoReqWrap.onlookupall [as oncomplete] (node:dns:123:26)

[wrangler:info] Ready on http://127.0.0.1:8787`;
  expect(printed(output)).toBe(`[custom build] Running: node src/dev/assets.ts
[wrangler:info] Ready on http://127.0.0.1:8787`);
});

it("prints other errors with their stack traces", () => {
  const output = "[wrangler:warn] Slow.\nTypeError: wrong\n    at handle (src/index.ts:1:1)";
  expect(printed(output)).toBe(output);
});
