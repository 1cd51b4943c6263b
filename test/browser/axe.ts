import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { expect } from "vitest";

const axeSource = readFileSync(
  createRequire(import.meta.url).resolve("axe-core/axe.min.js"),
  "utf8",
);

/** The rules about colours. Only these can differ between a light and a dark page. */
export const colourRules = ["color-contrast", "link-in-text-block"];

/** The rules about what is visible and how large it is. Only these can differ between a desktop and a phone. */
export const layoutRules = [
  "aria-hidden-focus",
  "button-name",
  "label",
  "link-name",
  "scrollable-region-focusable",
  "target-size",
];

/** The attribute of elements whose colours axe has to judge. */
const mark = "data-new-colours";

/** axe with colour rules that judge only marked elements. */
const script = `${axeSource};axe.configure(${JSON.stringify({
  rules: [
    { id: "color-contrast", selector: `[${mark}]` },
    { id: "link-in-text-block", selector: `a[href][${mark}], [role=link][${mark}]` },
  ],
})})`;

/**
 * The page keeps its CSP, because `evaluate` uses the debugging protocol, which no CSP restricts. Do not use it for
 * pages without JavaScript, where axe would wait for timers that never fire.
 */
export async function expectNoAxeViolations(
  page: Page,
  include: string | null = null,
  rules: readonly string[] | null = null,
): Promise<void> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(script);
  const options = {
    ...(rules
      ? { runOnly: { type: "rule", values: rules } }
      : { rules: { "target-size": { enabled: true } } }),
    resultTypes: ["violations"],
    // These take a third of the time, and only rules about media need them.
    selectors: false,
    preload: false,
  };
  await page.evaluate(markNewColours, { root: include ?? "body", attribute: mark });
  const results = (await page.evaluate(
    `axe.run(${JSON.stringify(include)} ?? document, ${JSON.stringify(options)})`,
  )) as AxeResults;
  const violations = results.violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html}\n  ${node.failureSummary ?? ""}`),
  );
  expect({ url: page.url(), found: violations }).toEqual({ url: page.url(), found: [] });
}

/**
 * Runs in the page. Marks all elements within `root` except those that have, with everything in them, the same computed styles as an
 * earlier element, on the same backgrounds. A colour rule cannot judge them differently. Colour rules take most of the
 * time of axe, and most rows of a table look like the first one.
 */
function markNewColours({ root, attribute }: { root: string; attribute: string }): void {
  const numbers = new Map<string, number>();
  const numberOf = (text: string) => {
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    return number;
  };
  const styles = [
    "color",
    "fontSize",
    "fontWeight",
    "textDecorationLine",
    "textShadow",
    "backgroundColor",
    "backgroundImage",
    "borderBottomWidth",
    "opacity",
    "filter",
    "visibility",
  ] as const;
  const hasText = (element: Element) =>
    [...element.childNodes].some((node) => node.nodeType === 3 && node.nodeValue?.trim() !== "");
  const looks = new Set<number>();
  let positionedCount = 0;
  /** Returns the number of an element's look. `behind` is the number of the look behind it. */
  const visit = (element: Element, behind: number): number => {
    const style = getComputedStyle(element);
    const traits = [
      element.localName,
      ...styles.map((name) => style[name]),
      hasText(element) || Boolean((element as HTMLInputElement).value),
      element.checkVisibility() && element.getClientRects().length > 0,
      element.matches(":disabled, [aria-disabled=true]"),
      (element as HTMLLabelElement).control?.matches(":disabled"),
      // A positioned element may cover others.
      ["static", "relative"].includes(style.position) || (positionedCount += 1),
    ];
    const own = numberOf(JSON.stringify([behind, ...traits]));
    element.setAttribute(attribute, "");
    const inner = new Set(Array.from(element.children, (child) => visit(child, own)));
    const look = numberOf(JSON.stringify([own, [...inner]]));
    if (looks.has(look))
      for (const each of [element, ...element.querySelectorAll("*")])
        each.removeAttribute(attribute);
    looks.add(look);
    return look;
  };
  for (const element of document.querySelectorAll(root)) visit(element, 0);
}
