import type { FieldError, Problem } from "../../domain/problem/problem";
import { problems, type ProblemCode } from "../../domain/problem/problem-catalogue";
import type { Refusal } from "../../gate/call-log";

const mostPath = 200;
const mostWrong = 5;
const mostName = 80;
const mostParameters = 8;

/** A secret that somebody put into an address is none of the log's business. */
const secrets = /ef[psa]_[A-Za-z0-9_-]{8,}/g;
const parameterName = /^[A-Za-z_][\w.[\]-]{0,39}$/;

/** The address of a call, with the names of its parameters and not their values. */
export function loggedPath(url: string): string {
  const [address = "", ...sent] = url.split("?");
  const pathname = address.slice(address.indexOf("/", address.indexOf("://") + 3));
  const names =
    sent.length === 0
      ? []
      : [...new Set(new URLSearchParams(sent.join("?")).keys())].slice(0, mostParameters);
  const query = names.map((name) => `${parameterName.test(name) ? name : "…"}=…`).join("&");
  const path = cut(
    pathname.replaceAll(secrets, (secret) => `${secret.slice(0, 4)}…`),
    mostPath,
  );
  return query === "" ? path : `${path}?${query}`;
}

/** Why a call was refused; undefined where it was answered as asked. */
export function loggedRefusal(status: number, problem: Problem | undefined): Refusal | undefined {
  if (status < 400) return undefined;
  const code = problem?.code ?? codeOf(status);
  const { required_permission: permission, errors, field, reason } = problem?.members ?? {};
  return {
    code,
    ...(typeof permission === "string" ? { permission } : {}),
    ...(Array.isArray(errors) ? { wrong: wrongIn(errors as FieldError[]) } : {}),
    ...(code === "duplicate" || code === "submissions_closed"
      ? { about: cut(String(field ?? reason), mostName) }
      : {}),
  };
}

function wrongIn(errors: readonly FieldError[]): Required<Refusal>["wrong"] {
  return errors.slice(0, mostWrong).map(({ field, code }) => ({
    field: cut(
      field.replaceAll(secrets, (secret) => `${secret.slice(0, 4)}…`),
      mostName,
    ),
    code,
  }));
}

/** What was answered without being thrown says its kind by its status. */
function codeOf(status: number): ProblemCode {
  const codes = Object.keys(problems) as ProblemCode[];
  return codes.find((code) => problems[code].status === status) ?? "internal";
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
