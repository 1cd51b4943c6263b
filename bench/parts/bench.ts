import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Call } from "../measure/load.ts";
import type { Section } from "../report/markdown.ts";

/** What the parts of the bench share. */
export interface Bench {
  /** A new folder whose files lie on the disk. */
  onDisk: () => string;
  /** A new folder whose files lie in memory. */
  inMemory: () => string;
  /** Where bundles are built. */
  builds: string;
  rounds: number;
  /** Of each subject in each round. */
  milliseconds: number;
  /** How many submissions growth is measured at. */
  scales: number[];
  soakMinutes: number;
  /** The project as it is, behind the commit that it is compared with, if there is one. */
  versions: Version[];
  /** Measures what is exact, and quickly. */
  short: boolean;
  note: (text: string) => void;
  /** Keeps a plot beside the results, and gives the Markdown that shows it. */
  plot: (name: string, alt: string, svg: string) => string;
}

/** The project at some time, and where it lies. */
export interface Version {
  name: string;
  root: string;
}

/** What the project as it is now is called. */
export const present = "now";

export type Part = (bench: Bench) => Promise<Section[]>;

export const newFolder = (parent = tmpdir()) => mkdtempSync(join(parent, "edge-forms-bench-"));

/** Enough credentials that a load stays within the limits that each has by default. */
export const tokenCount = 400;

/** Requests to one address, by each credential in its turn. */
export function calls(
  tokens: readonly string[],
  method: string,
  url: string,
  body?: (turn: number) => object,
  headers?: (turn: number) => Record<string, string>,
): () => Call {
  let turn = 0;
  return () => {
    turn += 1;
    return {
      method,
      url,
      headers: {
        ...(tokens.length > 0 ? { Authorization: `Bearer ${tokens[turn % tokens.length]}` } : {}),
        ...(body ? { "Content-Type": "application/json" } : {}),
        ...headers?.(turn),
      },
      ...(body ? { body: JSON.stringify(body(turn)) } : {}),
    };
  };
}
