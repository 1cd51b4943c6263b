import { lazy } from "../../src/domain/lazy.ts";
import { hasFormerVersion, loadBundle, loadFormerBundle } from "./bundle.ts";
import { formerCommit, formerCommitWithMoves } from "./collected.ts";
import type { Mutant } from "./mutants.ts";
import type { Setting } from "./run.ts";
import { makeEmptyImage, makeTemplate, type Template } from "./world.ts";

/** The databases of a plan: the ones in which the collections were created, and the ones that were added later. */
const layouts = {
  single: { first: ["DB"], added: [] },
  apart: { first: ["DB", "DATA_01"], added: [] },
  "home and 1": { first: ["DB"], added: ["DATA_01"] },
  "home and 2": { first: ["DB"], added: ["DATA_01", "DATA_02"] },
  "apart and 1": { first: ["DB", "DATA_01"], added: ["DATA_02"] },
} as const;
export type Layout = keyof typeof layouts;

/** The layouts of plans in which collections move. */
const movingLayouts = ["home and 1", "home and 2", "apart and 1"] as const;
/** One of this many seeds has a plan with moves. */
const seedsPerMove = 10;

export const hasMoves = (layout: Layout): boolean =>
  (movingLayouts as readonly Layout[]).includes(layout);

/** Returns the layout of a seed, unless one is prescribed. */
export function layoutOf(seed: number, alwaysMoves: boolean): Layout {
  const turn = alwaysMoves ? seed : Math.floor(seed / seedsPerMove);
  const isMoving = alwaysMoves || seed % seedsPerMove === seedsPerMove - 1;
  return (isMoving && movingLayouts[turn % movingLayouts.length]) || "single";
}

const present = lazy(() => loadBundle());
const templates = new Map<string, Promise<Template>>();

async function loadTemplate(layout: Layout): Promise<Template> {
  const { first, added } = layouts[layout];
  const known = templates.get(first.join()) ?? makeTemplate(await present(), first);
  templates.set(first.join(), known);
  const template = await known;
  const images = Object.fromEntries(added.map((name) => [name, makeEmptyImage()]));
  return { ...template, image: { ...template.image, ...images } };
}

/** Sets up the environment of a plan: the current version, or one with a planted bug. */
export async function setUp(layout: Layout, mutant?: Mutant): Promise<Setting> {
  const template = await loadTemplate(layout);
  if (mutant) return { bundle: await loadBundle(mutant.patches), template };
  const bundle = await present();
  // The older of the former versions does not support data databases.
  if (layout === "apart") return { bundle, template };
  const former = hasMoves(layout) ? formerCommitWithMoves : formerCommit;
  return { bundle, former: await loadFormerBundle(former), template };
}

/** Returns the former versions that the history lacks. Without them, no plan can test two versions at the same time. */
export const missingFormerVersions = (): string[] =>
  [formerCommit, formerCommitWithMoves].filter((commit) => !hasFormerVersion(commit));
