import { lazy } from "#domain/lazy.ts";
import { aggregateOperation } from "./aggregate.ts";
import { batchOperation } from "./batch.ts";
import { listChangesOperation } from "./changes.ts";
import {
  getCollectionOperation,
  getDefinitionOperation,
  listCollectionsOperation,
  patchDefinitionOperation,
  putDefinitionOperation,
} from "./definitions.ts";
import { fileOperations } from "./files.ts";
import {
  createItemOperation,
  deleteSubmissionOperation,
  getItem,
  updateItemOperation,
  validateSubmission,
} from "./items.ts";
import { listItems } from "./list-items.ts";
import { getMe } from "./me.ts";
import { getCollectionDocumentOperation, getOpenApiDocumentOperation } from "./open-api.ts";
import type { Operation } from "./operation.ts";
import { searchOperation } from "./search.ts";
import { webhookOperations } from "./webhooks.ts";

/**
 * Every operation of the API by its ID. The document of one app or form adds its key to the IDs. Paths with a literal
 * segment precede paths with a parameter in its place, because the router takes the first match.
 */
export const operations = lazy(() => ({
  getMe,
  listApps: listCollectionsOperation("app"),
  listForms: listCollectionsOperation("form"),
  getApp: getCollectionOperation("app"),
  getForm: getCollectionOperation("form"),
  getAppDefinition: getDefinitionOperation("app"),
  getFormDefinition: getDefinitionOperation("form"),
  putAppDefinition: putDefinitionOperation("app"),
  putFormDefinition: putDefinitionOperation("form"),
  patchAppDefinition: patchDefinitionOperation("app"),
  patchFormDefinition: patchDefinitionOperation("form"),
  getAppDocument: getCollectionDocumentOperation("app"),
  getFormDocument: getCollectionDocumentOperation("form"),
  getDocument: getOpenApiDocumentOperation,
  searchRecords: searchOperation("app"),
  aggregateRecords: aggregateOperation("app"),
  batchRecords: batchOperation("app"),
  listRecords: listItems("app"),
  getRecord: getItem("app"),
  createRecord: createItemOperation("app"),
  updateRecord: updateItemOperation("app"),
  listRecordChanges: listChangesOperation("app"),
  searchSubmissions: searchOperation("form"),
  aggregateSubmissions: aggregateOperation("form"),
  batchSubmissions: batchOperation("form"),
  listSubmissions: listItems("form"),
  getSubmission: getItem("form"),
  createSubmission: createItemOperation("form"),
  updateSubmission: updateItemOperation("form"),
  deleteSubmission: deleteSubmissionOperation,
  validateSubmission,
  listSubmissionChanges: listChangesOperation("form"),
  ...fileOperations,
  ...webhookOperations,
})) satisfies () => Record<string, Operation>;

export type OperationId = keyof ReturnType<typeof operations>;
