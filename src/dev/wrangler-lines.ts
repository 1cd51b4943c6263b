/**
 * Matches lines of wrangler that our output replaces: one for each request, the advice to call the cron manually, and the
 * table of bindings.
 */
const replacedLine =
  /\[wrangler:info\].* (?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) |Scheduled Workers are not automatically|manually trigger a scheduled event|cdn-cgi\/local\/scheduled|#test-cron-triggers-locally|^Your Worker has access to the following bindings|^Binding +Resource +Mode|^env\.\w+ /;
/** Without a connection, wrangler uses a placeholder for the visitor's location. That needs no action. */
const placeholderWarning = /Unable to fetch the `Request\.cf` object/;
const errorLine = /^(?:\w*Error: | +at |\s*$)/;

/** Creates a function that returns whether to print the next line of `wrangler dev`. */
export function createLineFilter(): (line: string) => boolean {
  let isInWarning = false;
  return (line) => {
    isInWarning = placeholderWarning.test(line) || (isInWarning && errorLine.test(line));
    return !isInWarning && !replacedLine.test(line);
  };
}
