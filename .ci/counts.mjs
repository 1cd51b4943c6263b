import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Prints how many tests passed, failed and were skipped, from vitest's JSON reports in a folder. */
const folder = process.argv[2];
const reports = readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name))));
const sum = (key) => reports.reduce((total, report) => total + report[key], 0);
// `npm test` and the rest must both report. A run that died counts as a failure.
const missing = Math.max(0, 2 - reports.length);
const skipped = sum("numPendingTests") + sum("numTodoTests");
console.log(sum("numPassedTests"), sum("numFailedTests") + missing, skipped);
