export const usage = `edge-forms: definitions as code, and items between files and a service.

  edge-forms export [DIR]   writes definitions, and with --items the items
  edge-forms plan   [DIR]   shows what applying the definitions would change
  edge-forms apply  [DIR]   shows it, and applies them
  edge-forms import [DIR]   sends the items, and compares what is stored

DIR is . where it is left out. It holds apps/KEY.json and forms/KEY.json, the definitions, and
apps/KEY.ndjson and forms/KEY.ndjson, the items, one a line.

  --apps a,b  --forms c     these alone
  --help                    of a command: edge-forms import --help

The environment says where and who: EDGE_FORMS_URL, and EDGE_FORMS_TOKEN or
EDGE_FORMS_CLIENT_ID and EDGE_FORMS_CLIENT_SECRET.

Exit codes: 0 done, nothing differs; 1 failed; 2 plan or import found differences.`;

export const helpOf: Record<string, string> = {
  export: `edge-forms export [DIR] [--items] [--apps a,b] [--forms c,d]

Writes the definition of each app and form that the credential may see, as plan and apply take it.

  --items   writes all items, too, in the order in which they were stored. Broken off, it goes on
            where it was when it is run again. It is no snapshot: what is changed meanwhile is
            written as it was when its page was read.

Needs schema:read, and for items records:read and submissions:read.`,

  plan: `edge-forms plan [DIR] [--apps a,b] [--forms c,d]

Shows what apply would change, and has the service validate every definition. Nothing is written.
A field that a file leaves out would be retired: what is stored stays, hidden. "renamed_from": "old_key" on a field renames it. What a file leaves
out beside the fields stays as it is. Apps and forms without a file are left alone.

Exit codes: 0 no differences, 1 failed or invalid, 2 differences. Needs schema:read, and schema:write
to validate.`,

  apply: `edge-forms apply [DIR] [--yes] [--apps a,b] [--forms c,d]

Shows the differences, asks, and applies them one after the other, each only where nobody changed
the definition since (If-Match). If the service rejects one of them, nothing is applied. A change that has to look at many items is waited for.

  --yes     does not ask; without a terminal it is needed

Needs schema:read and schema:write.`,

  import: `edge-forms import [DIR] [--by FIELD | --append] [--apps a,b] [--forms c,d]
edge-forms import FILE --apps KEY

Sends the items of each .ndjson file in batches, in order, and then compares each line with its
item. A line is what export wrote, or { "data": { … }, "status": "draft" }.

What is kept: data and status. Computed fields are left out and recalculated; ids, receipt numbers
and times are given by the service. Into an app that is empty and has the same prefix, receipt
numbers come out the same, as items are sent in the order in which they were stored.

What is stored is noted in a file beside the .ndjson, one for each service. So it may be killed and
run again at any moment: it goes on where it was, and nothing is stored twice. An app or form that
has items already is refused without one of these:

  --by FIELD   a line updates the item that has its value of this unique field, or makes one; a file
               that was changed, or whose items were, is sent again
  --append     adds the lines to what is there

Exit codes: 0 all equal, 1 failed, 2 some differ. Needs schema:read, and to read and write items.`,
};
