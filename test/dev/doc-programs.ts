import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

export const project = new URL("../..", import.meta.url).pathname;

/** The documents whose programs run first, because others change the data that they print. */
const firstDocuments = [
  "docs/first-call.md",
  "docs/authentication.md",
  "docs/recipes.md",
  "docs/website-form.md",
  "docs/sync-an-erp.md",
  "docs/nightly-report.md",
  "docs/generators.md",
];
const allPages = readdirSync(join(project, "docs"))
  .filter((file) => file.endsWith(".md"))
  .map((file) => `docs/${file}`);

/** The paths of all documents with code for readers, in the order in which their programs run. */
export const documents = [
  ...firstDocuments,
  ...allPages.filter((page) => !firstDocuments.includes(page)),
  "README.md",
  "examples/README.md",
  "packages/client/README.md",
];

/** Commands of these documents run in the checkout. Other programs run in a folder of the reader. */
export const checkoutDocuments = new Set(["README.md", "examples/README.md"]);

/** Documents whose commands prepare their programs in another language. */
const preparedLanguages = new Map([["packages/client/README.md", "ts"]]);

interface Exception {
  document: string;
  /** A part of the block. Without it, the exception covers all programs of the document. */
  part?: string;
  reason: string;
}

/** Programs that docs.test.ts does not run. */
export const exceptions: Exception[] = [
  ...["first-call", "recipes", "authentication", "website-form"].map((page) => ({
    document: `docs/${page}.md`,
    part: "export URL=http://127.0.0.1:8787",
    reason: "The service of the test has another address. The environment has both variables.",
  })),
  {
    document: "docs/administration.md",
    reason: "It needs the password of an owner. test/admin calls these routes.",
  },
  {
    document: "docs/databases.md",
    reason: "test/dev/deployment/growing.test.ts runs these commands.",
  },
  {
    document: "docs/deployment.md",
    reason: "It needs a Cloudflare account. test/dev/deployment uses a mock of its API.",
  },
  {
    document: "README.md",
    part: "npm ci && npm run dev",
    reason: "Installs the project. test/dev/service.test.ts runs `npm run dev`.",
  },
  {
    document: "README.md",
    part: "npm run deploy",
    reason: "test/dev/deployment/deployment.test.ts runs `npm run deploy`.",
  },
  ...["README.md", "examples/README.md"].map((document) => ({
    document,
    part: "export URL=http://127.0.0.1:8787",
    reason: "The service of the test has another address. The environment has both variables.",
  })),
  {
    document: "examples/README.md",
    part: "npm run -s example:import-countries",
    reason: "packages/client/test/examples.test.ts runs both examples twice.",
  },
  {
    document: "packages/client/README.md",
    part: "npm install ../edge-forms",
    reason: "packages/client/test/service.test.ts packs and installs the client.",
  },
  {
    document: "packages/client/README.md",
    part: "DatabaseSync",
    reason: "packages/client/test/examples.test.ts runs this program, which never ends.",
  },
  {
    document: "packages/client/README.md",
    part: "edge-forms-client import forms",
    reason: "packages/client/test/command.test.ts runs each command.",
  },
  ...["first-call", "recipes"].map((page) => ({
    document: `docs/${page}.md`,
    part: "using System|JsonContent.Create|PostAsJsonAsync",
    reason: "The machines of the project have no .NET SDK.",
  })),
  {
    document: "docs/browsers.md",
    part: "<!doctype html>",
    reason: "test/browser/other-origins.test.ts opens this page.",
  },
  {
    document: "docs/authentication.md",
    part: "GET /api/v1/me HTTP/1.1",
    reason: "It shows one header, which all programs send.",
  },
  {
    document: "docs/webhooks.md",
    part: "POST /hooks/orders HTTP/1.1",
    reason: "The service sends this message. test/dev/webhooks.test.ts receives it.",
  },
];

export const isException = (block: Block) =>
  exceptions.some(
    ({ document, part }) =>
      document === block.document &&
      (part === undefined || part.split("|").some((each) => block.code.includes(each))),
  );

export interface Block {
  document: string;
  language: string;
  /** The name of a file that programs of the document read or import. */
  name: string | undefined;
  heading: string;
  code: string;
  /** The expected output. `…` matches any text. */
  prints: string;
}

/** Returns all code blocks of a document, in order. */
export function blocksOf(document: string): Block[] {
  const text = readFileSync(join(project, document), "utf8");
  const blocks: Block[] = [];
  let heading = "";
  let pending: Block[] = [];
  for (const [block, title, indent = "", info = "", body = ""] of text.matchAll(
    /^#{2,3} (.*)$|^( *)```(.*)\n([^]*?)^ *```$/gm,
  )) {
    if (title !== undefined) {
      if (block.startsWith("## ")) [heading, pending] = [title, []];
      continue;
    }
    const [language = "", name] = info.split(" ");
    const code = body.replaceAll(new RegExp(`^${indent}`, "gm"), "");
    if (language === "text") {
      // A text block is the expected output of all programs since the previous text block.
      for (const program of pending) program.prints = code;
      pending = [];
    }
    const added = { document, language, name, heading, code, prints: "" };
    blocks.push(added);
    if (isProgram(added)) pending.push(added);
  }
  return blocks;
}

/** Whether a block can run. Blocks in other languages show data, output or exceptions. */
export const isProgram = ({ language, name }: Block) =>
  name === undefined && ["sh", "python", "ts", "js"].includes(language);

/** Returns the programs of a document in one language, in order, and the files that they read or import. */
export function programsOf(document: string, language: string) {
  const blocks = blocksOf(document);
  const files = new Map(
    blocks.flatMap(({ name, code }) => (name === undefined ? [] : [[name, code] as const])),
  );
  const programs = blocks.filter((block) => {
    // Programs in JavaScript run along with those in TypeScript.
    let runsWith = block.language === "js" ? "ts" : block.language;
    if (runsWith === "sh") runsWith = preparedLanguages.get(document) ?? "sh";
    return isProgram(block) && runsWith === language && !isException(block);
  });
  return { files, programs };
}

export const pageOf = (name: string) => readFileSync(join(project, `docs/${name}.md`), "utf8");

export type Command = [program: string, args: string[]];

/**
 * Builds the command that runs JavaScript or TypeScript. It must run on Node 20, which CI names in EDGE_FORMS_NODE. That
 * Node cannot run TypeScript, so esbuild strips the types and includes the imported files.
 */
async function nodeCommand(file: string): Promise<Command> {
  const outfile = file.replace(/\.\w+$/, ".built.mjs");
  await build({
    entryPoints: [file],
    outfile,
    bundle: true,
    packages: "external",
    format: "esm",
    platform: "node",
    target: "node20",
    logLevel: "error",
  });
  return [process.env["EDGE_FORMS_NODE"] ?? process.execPath, [outfile]];
}

/** Builds the command that runs a program. `file` is a path without extension for its code. */
export async function commandOf(language: string, code: string, file: string): Promise<Command> {
  if (language === "sh") return ["bash", ["-euo", "pipefail", "-c", code]];
  if (language === "python") return ["python3", ["-c", code]];
  // `export {}` makes files without imports modules for tsc, as they are for Node.
  const path = `${file}.${language === "ts" ? "ts" : "mjs"}`;
  writeFileSync(path, language === "ts" ? `${code}\nexport {};\n` : code);
  return nodeCommand(path);
}
