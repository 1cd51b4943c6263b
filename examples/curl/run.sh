#!/usr/bin/env bash
# URL=http://127.0.0.1:8787 TOKEN=efp_… examples/curl/run.sh
set -euo pipefail
api="${URL:-http://127.0.0.1:8787}/api/v1"
auth="Authorization: Bearer $TOKEN"

echo "Create, once for this key:"
curl -sS --fail-with-body "$api/apps/orders/records" -H "$auth" -H 'Content-Type: application/json' \
  -H 'Idempotency-Key: curl-1' -d '{ "data": { "customer": "Suzuki", "ordered_on": "2026-11-21", "lines": [{ "sku": "A-1", "qty": 1 }] } }'

echo; echo "Search:"
curl -sS --fail-with-body "$api/apps/orders/records/search" -H "$auth" -H 'Content-Type: application/json' \
  -d '{ "conditions": [{ "field": "customer", "op": "eq", "value": "Suzuki" }], "limit": 1 }'

echo; echo "Download as CSV:"
curl -sS --fail-with-body "$api/apps/orders/records/search" -H "$auth" -H 'Content-Type: application/json' \
  -H 'Accept: text/csv' -d '{}' | sed -n 1,3p
