import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Call } from "../measure/load.ts";
import type { Section } from "../report/markdown.ts";

/** The settings and tools that all parts of the benchmark share. */
export interface Bench {
  /** Creates a folder on disk. */
  onDisk: () => string;
  /** Creates a folder in memory. */
  inMemory: () => string;
  /** The folder for built bundles. */
  builds: string;
  rounds: number;
  /** The duration of each subject in each round. */
  milliseconds: number;
  /** The numbers of submissions at which the part `growth` measures. */
  scales: number[];
  soakMinutes: number;
  /** The current version last. The commit to compare it with, if any, comes first. */
  versions: Version[];
  /** Whether to check only exact values, in a quick run. */
  short: boolean;
  /**
   * A part of the names of the worst cases to measure. Empty for all. With it, the results are printed but not written.
   */
  only: string;
  note: (text: string) => void;
  /** Writes a plot next to the results and returns the Markdown that shows it. */
  plot: (name: string, alt: string, svg: string) => string;
}

/** A version of the project and its folder. */
export interface Version {
  name: string;
  root: string;
}

/** The name of the current version. */
export const present = "now";

export type Part = (bench: Bench) => Promise<Section[]>;

export const newFolder = (parent = tmpdir()) => mkdtempSync(join(parent, "edge-forms-bench-"));

/** The number of credentials. It is so large that a load stays within the default limits of each one. */
export const tokenCount = 400;

/** Returns a function that builds requests to one URL and uses the credentials in turn. */
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
