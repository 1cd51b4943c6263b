import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { digestFile, pictureSources } from "../browser/picture-sources.ts";

const project = new URL("../..", import.meta.url).pathname;

it("finds the pictures of the README newer than what they show. `npm run screenshots` takes them again", () => {
  const digests: unknown = JSON.parse(readFileSync(join(project, digestFile), "utf8"));
  expect(pictureSources(project)).toEqual(digests);
});
