import { problem } from "../../../domain/problem/problem";

export const refusedFile = (reason: string, field = "file") =>
  problem.invalidInput([{ field, code: "invalid_format", reason }]);
