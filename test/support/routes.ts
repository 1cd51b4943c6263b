import { app } from "../../src/app.ts";

export interface Route {
  method: string;
  /** As the code names it. */
  path: string;
}

/** Every route of the service, by its name, as `GET /api/v1/me`: read from what is mounted. */
export const routes = new Map<string, Route>(
  app.routes
    .filter(({ method }) => method !== "ALL")
    .map(({ method, path }) => [`${method} ${path}`, { method, path }]),
);

/** What is mounted for all methods: middleware, and the refusals of other methods. */
export const pathsOfAllMethods = [
  ...new Set(app.routes.filter(({ method }) => method === "ALL").map(({ path }) => path)),
];

/** The path with these in place of its parameters. */
export function pathWith(path: string, parameters: Record<string, string>): string {
  return path.replaceAll(/:(\w+)/g, (_, name: string) => parameters[name] ?? "x");
}
