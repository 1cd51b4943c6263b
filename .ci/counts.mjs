import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Prints how many tests passed, failed and were skipped, from vitest's JSON reports in a folder, and what failed. */
const folder = process.argv[2];
const reports = readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name))));
const sum = (key) => reports.reduce((total, report) => total + report[key], 0);
// `npm test` and the rest must both report. A run that died counts as a failure.
const missing = Math.max(0, 2 - reports.length);
const skipped = sum("numPendingTests") + sum("numTodoTests");
for (const { testResults } of reports)
  for (const { name, message, assertionResults } of testResults) {
    const failures = assertionResults.filter(({ status }) => status === "failed");
    for (const { fullName, failureMessages } of failures)
      console.error(`FAILED: ${name}: ${fullName}\n${failureMessages.join("\n").slice(0, 2000)}`);
    if (failures.length === 0 && message) console.error(`FAILED: ${name}: ${message}`);
  }
console.log(sum("numPassedTests"), sum("numFailedTests") + missing, skipped);
