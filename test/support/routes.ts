import { app } from "../../src/app.ts";
import { apiRoot } from "../../src/domain/api-paths.ts";
import { operations, type OperationId } from "../../src/operations/index.ts";
import type { Operation } from "../../src/operations/operation.ts";

export interface Route {
  method: string;
  /** The path with its parameters, as the code declares it. */
  path: string;
}

export const isApiPath = (path: string) => path.startsWith(`${apiRoot}/`);

const apiRoute = ({ method, path }: Operation): Route => ({ method, path: apiRoot + path });
const nameOf = ({ method, path }: Route) => `${method} ${path}`;

/** The name of an operation's route, such as `POST /api/v1/apps/:key/records`. */
export const routeName = (id: OperationId) => nameOf(apiRoute(operations()[id]));

/** Every mounted route, except handlers of all methods. */
export const mountedRoutes: readonly Route[] = app
  .routes()
  .filter(({ method }) => method !== "ALL")
  .map(({ method, path }) => ({ method, path }));

/** Every route of the service by its name: the declared operations, and the routes of the other surfaces. */
export const routes: ReadonlyMap<string, Route> = new Map(
  [
    ...Object.values<Operation>(operations()).map(apiRoute),
    ...mountedRoutes.filter(({ path }) => !isApiPath(path)),
  ].map((route) => [nameOf(route), route]),
);

/** The paths mounted for all methods: middleware, and handlers that reject other methods. */
export const pathsOfAllMethods = [
  ...new Set(
    app
      .routes()
      .filter(({ method }) => method === "ALL")
      .map(({ path }) => path),
  ),
];

/** Replaces the parameters in a path with these values. */
export function pathWith(path: string, parameters: Record<string, string>): string {
  return path.replaceAll(/:(\w+)/g, (_, name: string) => parameters[name] ?? "x");
}
