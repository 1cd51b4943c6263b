import type { Preview } from "../../../../actions/definitions/preview-definition";
import type { CollectionKind } from "../../../../domain/definition/collection";
import type { FieldSet } from "../../../../domain/definition/field";
import type { Problem } from "../../../../domain/problem/problem";
import type { Frame } from "../../../frame/frame";
import type { Draft } from "../../draft/draft";

export interface EditorShown {
  frame: Frame;
  kind: CollectionKind;
  draft: Draft;
  /** What is stored; nothing for a new one. */
  stored: FieldSet | null;
  /** Absent where something is wrong. */
  preview: Preview | undefined;
  /** What is wrong, told beside the inputs. */
  wrong: Problem | undefined;
  focus?: readonly number[] | undefined;
  action: string;
}
