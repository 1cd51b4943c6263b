import { type valueType } from "../../../../domain/definition/field";

export type Condition = Record<string, unknown>;
export type Kind = ReturnType<typeof valueType>;
