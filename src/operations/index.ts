import { batchOperation } from "./batch.ts";
import { changesOperation } from "./changes.ts";
import {
  getCollection,
  getDefinition,
  listCollections,
  patchDefinitionOperation,
  putDefinitionOperation,
} from "./definitions.ts";
import {
  createItemOperation,
  deleteSubmissionOperation,
  getItem,
  updateItemOperation,
  validateSubmission,
} from "./items.ts";
import { listItems } from "./list-items.ts";
import { getMe } from "./me.ts";
import { getCollectionDocument, getDocument } from "./open-api.ts";
import type { Operation } from "./operation.ts";
import { searchOperation } from "./search.ts";
import { webhookOperations } from "./webhooks.ts";

/**
 * Every operation of the API by its ID. In the document of one app or form, the ID contains the key. Paths with a
 * literal segment come before paths with a parameter in its place, because the router takes the first match.
 */
export const operations = {
  getMe,
  listApps: listCollections("app"),
  listForms: listCollections("form"),
  getApp: getCollection("app"),
  getForm: getCollection("form"),
  getAppDefinition: getDefinition("app"),
  getFormDefinition: getDefinition("form"),
  putAppDefinition: putDefinitionOperation("app"),
  putFormDefinition: putDefinitionOperation("form"),
  patchAppDefinition: patchDefinitionOperation("app"),
  patchFormDefinition: patchDefinitionOperation("form"),
  getAppDocument: getCollectionDocument("app"),
  getFormDocument: getCollectionDocument("form"),
  getDocument,
  searchRecords: searchOperation("app"),
  batchRecords: batchOperation("app"),
  listRecords: listItems("app"),
  getRecord: getItem("app"),
  createRecord: createItemOperation("app"),
  updateRecord: updateItemOperation("app"),
  listRecordChanges: changesOperation("app"),
  searchSubmissions: searchOperation("form"),
  batchSubmissions: batchOperation("form"),
  listSubmissions: listItems("form"),
  getSubmission: getItem("form"),
  createSubmission: createItemOperation("form"),
  updateSubmission: updateItemOperation("form"),
  deleteSubmission: deleteSubmissionOperation,
  validateSubmission,
  listSubmissionChanges: changesOperation("form"),
  ...webhookOperations,
} satisfies Record<string, Operation>;

export type OperationId = keyof typeof operations;
