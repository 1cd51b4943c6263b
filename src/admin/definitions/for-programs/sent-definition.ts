import { isObject } from "../../../domain/json";
import { errorAt } from "../../../domain/problem/field-errors";
import { problem } from "../../../domain/problem/problem";

export function sentDefinition(text: string): Record<string, unknown> {
  const document = parsedJson(text);
  if (isObject(document)) return document;
  throw problem.invalidInput([errorAt(["document"], "invalid_type", "Must be of type object.")]);
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const at = /position (\d+)/.exec(String(error))?.[1];
    throw problem.malformedJson(
      `This is not JSON.${at ? ` It goes wrong at character ${at}.` : ""}`,
    );
  }
}
