/** Runs the moves of the service with these bindings, each time a minute later. */
export function runMovesOf(bindings: Record<string, object>, times: number): Promise<void>;
