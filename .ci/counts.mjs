import { existsSync, readFileSync } from "node:fs";

/** Prints how many tests passed, failed and were skipped, from vitest's JSON report, and what failed. */
const file = process.argv[2];
const nothing = { numPassedTests: 0, numFailedTests: 1, testResults: [] };
// A run that died without a report counts as a failure.
const report = existsSync(file) ? JSON.parse(readFileSync(file)) : nothing;
const { numPassedTests, numFailedTests, numPendingTests = 0, numTodoTests = 0 } = report;
for (const { name, message, assertionResults } of report.testResults) {
  const failures = assertionResults.filter(({ status }) => status === "failed");
  for (const { fullName, failureMessages } of failures)
    console.error(`FAILED: ${name}: ${fullName}\n${failureMessages.join("\n").slice(0, 2000)}`);
  if (failures.length === 0 && message) console.error(`FAILED: ${name}: ${message}`);
}
console.log(numPassedTests, numFailedTests, numPendingTests + numTodoTests);
