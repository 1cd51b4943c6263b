/**
 * The permissions of every route, written by hand as the oracle of the tests. A missing route and a row without a route
 * both fail. The text after a comma describes the variant of an action.
 */

/** The status with one of the permissions. A 403 names the first of them. Files belong to a form here. */
export const apiTable = `
route                                         | allowed by                                 | status  | outside its list
GET /api/v1/me                                | anything                                   | 200     | -
GET /api/v1/openapi.json                      | schema:read                                | 200     | -
GET /api/v1/apps                              | anything                                   | 200     | omitted
GET /api/v1/forms                             | anything                                   | 200     | omitted
GET /api/v1/apps/:key                         | anything                                   | 200     | 404
GET /api/v1/forms/:key                        | anything                                   | 200     | 404
GET /api/v1/apps/:key/schema                  | schema:read                                | 200     | 404
GET /api/v1/forms/:key/schema                 | schema:read                                | 200     | 404
GET /api/v1/apps/:key/openapi.json            | schema:read                                | 200     | 404
GET /api/v1/forms/:key/openapi.json           | schema:read                                | 200     | 404
PUT /api/v1/apps/:key/schema                  | schema:write                               | 200     | 404
PUT /api/v1/forms/:key/schema                 | schema:write                               | 200     | 404
PATCH /api/v1/apps/:key/schema                | schema:write                               | 200     | 404
PATCH /api/v1/forms/:key/schema               | schema:write                               | 200     | 404
GET /api/v1/apps/:key/records                 | records:read                               | 200     | 404
POST /api/v1/apps/:key/records/search         | records:read                               | 200     | 404
POST /api/v1/apps/:key/records/aggregate      | records:read                               | 200     | 404
GET /api/v1/apps/:key/records/:id             | records:read                               | 200     | 404
GET /api/v1/apps/:key/changes                 | records:read                               | 200     | 404
POST /api/v1/apps/:key/records                | records:create, records:write              | 201     | 404
POST /api/v1/apps/:key/records/batch          | records:write                              | 200     | 404
PATCH /api/v1/apps/:key/records/:id           | records:write                              | 200     | 404
GET /api/v1/forms/:key/submissions            | submissions:read                           | 200     | 404
POST /api/v1/forms/:key/submissions/search    | submissions:read                           | 200     | 404
POST /api/v1/forms/:key/submissions/aggregate | submissions:read                           | 200     | 404
GET /api/v1/forms/:key/changes                | submissions:read                           | 200     | 404
GET /api/v1/submissions/:id                   | submissions:read                           | 200     | 404
POST /api/v1/forms/:key/submissions           | submissions:create, submissions:write      | 201     | 404
POST /api/v1/forms/:key/submissions/batch     | submissions:write                          | 200     | 404
POST /api/v1/forms/:key/submissions/validate  | submissions:create, submissions:write      | 200     | 404
PATCH /api/v1/submissions/:id                 | submissions:write                          | 200     | 404
DELETE /api/v1/submissions/:id                | submissions:delete                         | 204     | 404
POST /api/v1/files                            | submissions:create, submissions:write      | 201     | -
GET /api/v1/files/:id                         | submissions:read                           | 200     | 404
DELETE /api/v1/files/:id                      | submissions:create, submissions:write      | 204     | 404
PUT /api/v1/files/:id/content                 | submissions:create, submissions:write      | 200     | 404
GET /api/v1/files/:id/content                 | submissions:read                           | 200     | 404
POST /api/v1/files/:id/link                   | submissions:read                           | 200     | 404
GET /api/v1/webhooks                          | webhooks:manage                            | 200     | -
POST /api/v1/webhooks                         | webhooks:manage                            | 201     | -
GET /api/v1/webhooks/:id                      | webhooks:manage                            | 200     | 404
PATCH /api/v1/webhooks/:id                    | webhooks:manage                            | 200     | 404
DELETE /api/v1/webhooks/:id                   | webhooks:manage                            | 204     | 404
GET /api/v1/webhooks/:id/deliveries           | webhooks:manage                            | 200     | 404
POST /api/v1/webhooks/:id/test                | webhooks:manage                            | 200     | 404
POST /api/v1/webhooks/:id/deliveries/:delivery/redeliver | webhooks:manage                 | 200     | 404
`;

/**
 * The JSON statuses of the administration. 403 rejects the role, 404 hides data of other members, and 422 rejects
 * permissions that exceed the role.
 */
export const ofTheArea = `
act                                                              | owner | admin | editor | viewer | anonymous
GET /admin/sign-in                                               | 200   | 200   | 200    | 200    | 200
POST /admin/sign-in                                              | 200   | 200   | 200    | 200    | 200
POST /admin/sign-out                                             | 204   | 204   | 204    | 204    | 204
GET /admin/setup, once there is an owner                         | 404   | 404   | 404    | 404    | 404
POST /admin/setup, once there is an owner                        | 404   | 404   | 404    | 404    | 404
GET /admin/join/:secret                                          | 200   | 200   | 200    | 200    | 200
POST /admin/join/:secret                                         | 201   | 201   | 201    | 201    | 201
GET /admin/reset/:reset                                          | 200   | 200   | 200    | 200    | 200
POST /admin/reset/:reset                                         | 200   | 200   | 200    | 200    | 200

GET /admin                                                       | 200   | 200   | 200    | 200    | 401
GET /admin/search                                                | 200   | 200   | 200    | 200    | 401
GET /admin/account                                               | 200   | 200   | 200    | 200    | 401
POST /admin/account/sign-out-everywhere                          | 204   | 204   | 204    | 204    | 401
POST /admin/account/name                                         | 200   | 200   | 200    | 200    | 401
POST /admin/account/sessions/:session/end                        | 204   | 204   | 204    | 204    | 401
POST /admin/account/password                                     | 204   | 204   | 204    | 204    | 401

GET /admin/audit                                                 | 200   | 200   | 403    | 403    | 401

GET /admin/settings                                              | 200   | 200   | 200    | 200    | 401
GET /admin/settings/databases                                    | 200   | 200   | 403    | 403    | 401
GET /admin/settings/databases/move                               | 200   | 200   | 403    | 403    | 401
POST /admin/settings/databases/move, to no database              | 422   | 422   | 403    | 403    | 401
POST /admin/settings/databases/moves/:id/stop, of no move        | 404   | 404   | 403    | 403    | 401

GET /admin/members                                               | 200   | 200   | 403    | 403    | 401
POST /admin/members, inviting a viewer                           | 201   | 201   | 403    | 403    | 401
POST /admin/members, inviting an editor                          | 201   | 201   | 403    | 403    | 401
POST /admin/members, inviting an admin                           | 201   | 403   | 403    | 403    | 401
POST /admin/members, inviting an owner                           | 201   | 403   | 403    | 403    | 401
POST /admin/members/:id, making a viewer an editor               | 204   | 204   | 403    | 403    | 401
POST /admin/members/:id, making an editor a viewer               | 204   | 204   | 403    | 403    | 401
POST /admin/members/:id, making a viewer an admin                | 204   | 403   | 403    | 403    | 401
POST /admin/members/:id, making an editor an owner               | 204   | 403   | 403    | 403    | 401
POST /admin/members/:id, making an admin a viewer                | 204   | 403   | 403    | 403    | 401
POST /admin/members/:id, making an admin an owner                | 204   | 403   | 403    | 403    | 401
POST /admin/members/:id, making an owner an editor               | 204   | 403   | 403    | 403    | 401
POST /admin/members/:id, removing a viewer                       | 204   | 204   | 403    | 403    | 401
POST /admin/members/:id, removing an editor                      | 204   | 204   | 403    | 403    | 401
POST /admin/members/:id, removing an admin                       | 204   | 403   | 403    | 403    | 401
POST /admin/members/:id, removing an owner                       | 204   | 403   | 403    | 403    | 401
POST /admin/members/:id, restoring a viewer                      | 204   | 204   | 403    | 403    | 401
POST /admin/members/:id, restoring an editor                     | 204   | 204   | 403    | 403    | 401
POST /admin/members/:id, restoring an admin                      | 204   | 403   | 403    | 403    | 401
POST /admin/members/:id, restoring an owner                      | 204   | 403   | 403    | 403    | 401
POST /admin/members/:id, making yourself an owner                | 204   | 403   | 403    | 403    | 401
POST /admin/members/:id, making yourself a viewer                | 204   | 403   | 403    | 403    | 401
POST /admin/members/:id, removing yourself                       | 204   | 403   | 403    | 403    | 401
POST /admin/members/:id/reset, of a viewer                       | 200   | 200   | 403    | 403    | 401
POST /admin/members/:id/reset, of an editor                      | 200   | 200   | 403    | 403    | 401
POST /admin/members/:id/reset, of an admin                       | 200   | 403   | 403    | 403    | 401
POST /admin/members/:id/reset, of an owner                       | 200   | 403   | 403    | 403    | 401
POST /admin/members/:id, an unknown member                       | 404   | 404   | 403    | 403    | 401

GET /admin/integrations                                          | 200   | 200   | 200    | 200    | 401
GET /admin/integrations/new                                      | 200   | 200   | 200    | 200    | 401
POST /admin/preferences                                          | 200   | 200   | 200    | 200    | 401
POST /admin/account/language                                     | 200   | 200   | 200    | 200    | 401
POST /admin/account/zone                                         | 200   | 200   | 200    | 200    | 401
POST /admin/members/invitations/withdraw, of no one              | 204   | 204   | 403    | 403    | 401
POST /admin/integrations, a token with records:read              | 201   | 201   | 201    | 201    | 401
POST /admin/integrations, a token with records:create            | 201   | 201   | 201    | 422    | 401
POST /admin/integrations, a token with records:write             | 201   | 201   | 201    | 422    | 401
POST /admin/integrations, a token with submissions:read          | 201   | 201   | 201    | 201    | 401
POST /admin/integrations, a token with submissions:create        | 201   | 201   | 201    | 422    | 401
POST /admin/integrations, a token with submissions:write         | 201   | 201   | 201    | 422    | 401
POST /admin/integrations, a token with submissions:delete        | 201   | 201   | 201    | 422    | 401
POST /admin/integrations, a token with schema:read               | 201   | 201   | 201    | 201    | 401
POST /admin/integrations, a token with schema:write              | 201   | 201   | 201    | 422    | 401
POST /admin/integrations, a token with webhooks:manage           | 201   | 201   | 422    | 422    | 401
POST /admin/integrations, a client with schema:read              | 201   | 201   | 422    | 422    | 401
GET /admin/integrations/:id, own token                           | 200   | 200   | 200    | 200    | 401
GET /admin/integrations/:id, another member's token              | 200   | 200   | 404    | 404    | 401
GET /admin/integrations/:id, another member's client             | 200   | 200   | 404    | 404    | 401
GET /admin/integrations/:id, own client made as an admin         | 200   | 200   | 200    | 200    | 401
GET /admin/integrations/:id/access, own token                    | 200   | 200   | 200    | 200    | 401
GET /admin/integrations/:id/access, another member's token       | 200   | 200   | 404    | 404    | 401
GET /admin/integrations/:id/access, another member's client      | 200   | 200   | 404    | 404    | 401
GET /admin/integrations/:id/access, own client made as an admin  | 200   | 200   | 200    | 200    | 401
GET /admin/integrations/:id/secrets, own token                   | 200   | 200   | 200    | 200    | 401
GET /admin/integrations/:id/secrets, another member's token      | 200   | 200   | 404    | 404    | 401
GET /admin/integrations/:id/secrets, another member's client     | 200   | 200   | 404    | 404    | 401
GET /admin/integrations/:id/secrets, own client made as an admin | 200   | 200   | 200    | 200    | 401
GET /admin/integrations/:id/secret, own token                    | 200   | 200   | 200    | 200    | 401
GET /admin/integrations/:id/secret, another member's token       | 200   | 200   | 404    | 404    | 401
GET /admin/integrations/:id/secret, another member's client      | 200   | 200   | 404    | 404    | 401
GET /admin/integrations/:id/secret, own client made as an admin  | 200   | 200   | 200    | 200    | 401
POST /admin/integrations/:id, own token                          | 200   | 200   | 200    | 200    | 401
POST /admin/integrations/:id, own token, to write                | 200   | 200   | 200    | 422    | 401
POST /admin/integrations/:id, another member's token             | 200   | 200   | 404    | 404    | 401
POST /admin/integrations/:id, another member's client            | 200   | 200   | 404    | 404    | 401
POST /admin/integrations/:id, own client made as an admin        | 200   | 200   | 422    | 422    | 401
POST /admin/integrations/:id/rotate, own token                   | 200   | 200   | 200    | 200    | 401
POST /admin/integrations/:id/rotate, another member's token      | 200   | 200   | 404    | 404    | 401
POST /admin/integrations/:id/rotate, another member's client     | 200   | 200   | 404    | 404    | 401
POST /admin/integrations/:id/rotate, own client made as an admin | 200   | 200   | 422    | 422    | 401
POST /admin/integrations/:id/expire, own token                   | 204   | 204   | 204    | 204    | 401
POST /admin/integrations/:id/expire, another member's token      | 204   | 204   | 404    | 404    | 401
POST /admin/integrations/:id/expire, another member's client     | 204   | 204   | 404    | 404    | 401
POST /admin/integrations/:id/expire, own client made as an admin | 204   | 204   | 204    | 204    | 401
POST /admin/integrations/:id/revoke, own token                   | 204   | 204   | 204    | 204    | 401
POST /admin/integrations/:id/revoke, another member's token      | 204   | 204   | 404    | 404    | 401
POST /admin/integrations/:id/revoke, another member's client     | 204   | 204   | 404    | 404    | 401
POST /admin/integrations/:id/revoke, own client made as an admin | 204   | 204   | 204    | 204    | 401

GET /admin/webhooks                                              | 200   | 200   | 403    | 403    | 401
GET /admin/webhooks/new                                          | 200   | 200   | 403    | 403    | 401
POST /admin/webhooks                                             | 201   | 201   | 403    | 403    | 401
GET /admin/webhooks/:id                                          | 200   | 200   | 403    | 403    | 401
GET /admin/webhooks/:id/settings                                 | 200   | 200   | 403    | 403    | 401
GET /admin/webhooks/:id/secrets                                  | 200   | 200   | 403    | 403    | 401
GET /admin/webhooks/:id/secret                                   | 200   | 200   | 403    | 403    | 401
POST /admin/webhooks/:id                                         | 200   | 200   | 403    | 403    | 401
POST /admin/webhooks/:id/rotate                                  | 200   | 200   | 403    | 403    | 401
POST /admin/webhooks/:id/test                                    | 200   | 200   | 403    | 403    | 401
POST /admin/webhooks/:id/deliveries/:delivery/redeliver          | 200   | 200   | 403    | 403    | 401
POST /admin/webhooks/:id/delete                                  | 204   | 204   | 403    | 403    | 401

POST /admin/files                                                | 201   | 201   | 201    | 403    | 401
PUT /admin/files/:id/content, of an own file                     | 200   | 200   | 200    | 403    | 401
PUT /admin/files/:id/content, of another member's file           | 404   | 404   | 404    | 403    | 401
GET /admin/files/:id/content, of an item                         | 200   | 200   | 200    | 200    | 401
GET /admin/files/:id/content, of no item                         | 404   | 404   | 404    | 404    | 401
POST /admin/files/:id/link, of an item                           | 200   | 200   | 200    | 200    | 401

GET /admin/deleted                                               | 200   | 200   | 403    | 403    | 401
POST /admin/deleted/:id/restore, of nothing                      | 404   | 404   | 403    | 403    | 401

GET /admin/people                                                | 200   | 200   | 403    | 403    | 401
POST /admin/people                                               | 201   | 201   | 403    | 403    | 401
GET /admin/people/:id                                            | 200   | 200   | 403    | 403    | 401
POST /admin/people/:id/delete                                    | 204   | 204   | 403    | 403    | 401

GET /admin/apps                                                  | 200   | 200   | 200    | 200    | 401
POST /admin/apps                                                 | 201   | 201   | 201    | 403    | 401
GET /admin/apps/:key                                             | 200   | 200   | 200    | 200    | 401
GET /admin/apps/:key/settings                                    | 200   | 200   | 200    | 403    | 401
POST /admin/apps/:key/settings                                   | 200   | 200   | 200    | 403    | 401
GET /admin/apps/:key/access                                      | 200   | 200   | 403    | 403    | 401
POST /admin/apps/:key/access                                     | 200   | 200   | 403    | 403    | 401
GET /admin/apps/:key/summary                                     | 200   | 200   | 200    | 200    | 401
GET /admin/apps/:key/delete                                      | 200   | 200   | 403    | 403    | 401
POST /admin/apps/:key/delete                                     | 204   | 204   | 403    | 403    | 401
GET /admin/apps/:key/api                                         | 200   | 200   | 200    | 200    | 401
GET /admin/apps/:key/openapi.json                                | 200   | 200   | 200    | 200    | 401
GET /admin/apps/:key/changes                                     | 200   | 200   | 200    | 200    | 401
GET /admin/apps/:key/changes/:version                            | 200   | 200   | 200    | 200    | 401
GET /admin/apps/:key/json                                        | 200   | 200   | 200    | 200    | 401
POST /admin/apps/:key/json                                       | 200   | 200   | 200    | 403    | 401
POST /admin/apps/:key/check-index                                | 204   | 403   | 403    | 403    | 401
POST /admin/apps/:key/fields                                     | 200   | 200   | 200    | 403    | 401
GET /admin/apps/:key/items                                       | 200   | 200   | 200    | 200    | 401
GET /admin/apps/:key/items/choices                               | 200   | 200   | 200    | 200    | 401
GET /admin/apps/:key/items/export                                | 200   | 200   | 200    | 200    | 401
GET /admin/apps/:key/items/import                                | 200   | 200   | 200    | 403    | 401
POST /admin/apps/:key/items/import                               | 200   | 200   | 200    | 403    | 401
GET /admin/apps/:key/items/new                                   | 200   | 200   | 200    | 403    | 401
POST /admin/apps/:key/items/selected                             | 200   | 200   | 200    | 200    | 401
POST /admin/apps/:key/items/columns                              | 200   | 200   | 200    | 200    | 401
POST /admin/apps/:key/items/filters                              | 201   | 201   | 201    | 201    | 401
POST /admin/apps/:key/items/filters/:filter, of nobody           | 404   | 404   | 404    | 404    | 401
POST /admin/apps/:key/items/filters/:filter/delete, of nobody    | 404   | 404   | 404    | 404    | 401
POST /admin/apps/:key/items/filters/:filter/share, of nobody     | 404   | 404   | 404    | 403    | 401
POST /admin/apps/:key/items/views                                | 201   | 201   | 201    | 403    | 401
POST /admin/apps/:key/items/views/:view, of nothing              | 404   | 404   | 404    | 403    | 401
POST /admin/apps/:key/items/views/:view/delete, of nothing       | 404   | 404   | 404    | 403    | 401
POST /admin/apps/:key/items                                      | 201   | 201   | 201    | 403    | 401
GET /admin/apps/:key/items/:id                                   | 200   | 200   | 200    | 200    | 401
POST /admin/apps/:key/items/:id                                  | 200   | 200   | 200    | 403    | 401
POST /admin/apps/:key/items/:id/close, which records reject      | 422   | 422   | 422    | 403    | 401
POST /admin/apps/:key/items/:id/reopen, which records reject     | 409   | 409   | 409    | 403    | 401
POST /admin/apps/:key/items/:id/revert, of its creation          | 422   | 422   | 422    | 403    | 401
POST /admin/apps/:key/items/:id/delete                           | 204   | 204   | 204    | 403    | 401
GET /admin/apps/:key/items/:id/erase                             | 200   | 200   | 403    | 403    | 401
POST /admin/apps/:key/items/:id/erase                            | 204   | 204   | 403    | 403    | 401
GET /admin/apps/:key/items/deleted                               | 200   | 200   | 200    | 403    | 401
POST /admin/apps/:key/items/deleted/:id/restore                  | 200   | 200   | 200    | 403    | 401
GET /admin/apps/:key/items/deleted/:id/erase                     | 200   | 200   | 403    | 403    | 401
POST /admin/apps/:key/items/deleted/:id/erase                    | 204   | 204   | 403    | 403    | 401

GET /admin/forms                                                 | 200   | 200   | 200    | 200    | 401
POST /admin/forms                                                | 201   | 201   | 201    | 403    | 401
GET /admin/forms/:key                                            | 200   | 200   | 200    | 200    | 401
GET /admin/forms/:key/settings                                   | 200   | 200   | 200    | 403    | 401
POST /admin/forms/:key/settings                                  | 200   | 200   | 200    | 403    | 401
GET /admin/forms/:key/access                                     | 200   | 200   | 403    | 403    | 401
POST /admin/forms/:key/access                                    | 200   | 200   | 403    | 403    | 401
GET /admin/forms/:key/summary                                    | 200   | 200   | 200    | 200    | 401
GET /admin/forms/:key/delete                                     | 200   | 200   | 403    | 403    | 401
POST /admin/forms/:key/delete                                    | 204   | 204   | 403    | 403    | 401
GET /admin/forms/:key/api                                        | 200   | 200   | 200    | 200    | 401
GET /admin/forms/:key/openapi.json                               | 200   | 200   | 200    | 200    | 401
GET /admin/forms/:key/changes                                    | 200   | 200   | 200    | 200    | 401
GET /admin/forms/:key/changes/:version                           | 200   | 200   | 200    | 200    | 401
GET /admin/forms/:key/json                                       | 200   | 200   | 200    | 200    | 401
POST /admin/forms/:key/json                                      | 200   | 200   | 200    | 403    | 401
POST /admin/forms/:key/check-index                               | 204   | 403   | 403    | 403    | 401
POST /admin/forms/:key/fields                                    | 200   | 200   | 200    | 403    | 401
GET /admin/forms/:key/items                                      | 200   | 200   | 200    | 200    | 401
GET /admin/forms/:key/items/export                               | 200   | 200   | 200    | 200    | 401
GET /admin/forms/:key/items/import                               | 200   | 200   | 200    | 403    | 401
POST /admin/forms/:key/items/import                              | 200   | 200   | 200    | 403    | 401
GET /admin/forms/:key/items/new                                  | 200   | 200   | 200    | 403    | 401
POST /admin/forms/:key/items/selected                            | 200   | 200   | 200    | 200    | 401
POST /admin/forms/:key/items/columns                             | 200   | 200   | 200    | 200    | 401
POST /admin/forms/:key/items/filters                             | 201   | 201   | 201    | 201    | 401
POST /admin/forms/:key/items/filters/:filter, of nobody          | 404   | 404   | 404    | 404    | 401
POST /admin/forms/:key/items/filters/:filter/delete, of nobody   | 404   | 404   | 404    | 404    | 401
POST /admin/forms/:key/items/filters/:filter/share, of nobody    | 404   | 404   | 404    | 403    | 401
POST /admin/forms/:key/items/views                               | 201   | 201   | 201    | 403    | 401
POST /admin/forms/:key/items/views/:view, of nothing             | 404   | 404   | 404    | 403    | 401
POST /admin/forms/:key/items/views/:view/delete, of nothing      | 404   | 404   | 404    | 403    | 401
POST /admin/forms/:key/items                                     | 201   | 201   | 201    | 403    | 401
GET /admin/forms/:key/items/:id                                  | 200   | 200   | 200    | 200    | 401
POST /admin/forms/:key/items/:id                                 | 200   | 200   | 200    | 403    | 401
POST /admin/forms/:key/items/:id/close                           | 200   | 200   | 200    | 403    | 401
POST /admin/forms/:key/items/:id/reopen, after it was closed     | 200   | 200   | 200    | 403    | 401
POST /admin/forms/:key/items/:id/revert, of its creation         | 422   | 422   | 422    | 403    | 401
POST /admin/forms/:key/items/:id/delete                          | 204   | 204   | 204    | 403    | 401
GET /admin/forms/:key/items/:id/erase                            | 200   | 200   | 403    | 403    | 401
POST /admin/forms/:key/items/:id/erase                           | 204   | 204   | 403    | 403    | 401
GET /admin/forms/:key/items/deleted                              | 200   | 200   | 200    | 403    | 401
POST /admin/forms/:key/items/deleted/:id/restore                 | 200   | 200   | 200    | 403    | 401
GET /admin/forms/:key/items/deleted/:id/erase                    | 200   | 200   | 403    | 403    | 401
POST /admin/forms/:key/items/deleted/:id/erase                   | 204   | 204   | 403    | 403    | 401
`;

/** The statuses without a credential or a session. */
export const publicTable = `
act                                         | status
GET /                                       | 200
GET /health                                 | 200
GET /openapi.json                           | 200
GET /docs                                   | 200
GET /problems                               | 200
GET /problems/:code                         | 200
GET /.well-known/oauth-authorization-server | 200
GET /.well-known/oauth-protected-resource/mcp | 200
POST /mcp, whose tools check permissions       | 401
POST /oauth/token, with a client's secret   | 200
POST /oauth/token, with another secret      | 401
`;

/** The rows of a table, each as cells by column head. */
export function rowsOf(table: string): Record<string, string>[] {
  const [heads = [], ...rows] = table
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split("|").map((cell) => cell.trim()));
  const broken = rows.find((cells) => cells.length !== heads.length);
  if (broken) throw new Error(`This row has a wrong number of cells: ${broken[0]}`);
  return rows.map((cells) => Object.fromEntries(heads.map((head, i) => [head, cells[i] ?? ""])));
}

/** The route of an action: the text before the first comma. */
export const routeOf = (act: string) => act.split(",")[0] ?? "";

/**
 * What a credential gets whose resources are a view of an app and a view of a form. Each row is an API route. The columns
 * are the statuses for an item that the view shows, for one that it hides, and for a request that names a hidden field.
 * `-` means that the route has no such variant. An outside item must answer exactly like a missing one, and a hidden field
 * exactly like an unknown one.
 */
export const narrowTable = `
route                                         | inside | outside | hidden field
GET /api/v1/me                                | 200    | -       | -
GET /api/v1/openapi.json                      | 200    | -       | -
GET /api/v1/apps                              | 200    | -       | -
GET /api/v1/forms                             | 200    | -       | -
GET /api/v1/apps/:key                         | 200    | -       | -
GET /api/v1/forms/:key                        | 200    | -       | -
GET /api/v1/apps/:key/schema                  | 200    | -       | -
GET /api/v1/forms/:key/schema                 | 200    | -       | -
GET /api/v1/apps/:key/openapi.json            | 200    | -       | -
GET /api/v1/forms/:key/openapi.json           | 200    | -       | -
PUT /api/v1/apps/:key/schema                  | 403    | -       | -
PUT /api/v1/forms/:key/schema                 | 403    | -       | -
PATCH /api/v1/apps/:key/schema                | 403    | -       | -
PATCH /api/v1/forms/:key/schema               | 403    | -       | -
GET /api/v1/apps/:key/records                 | 200    | -       | 422
POST /api/v1/apps/:key/records/search         | 200    | -       | 422
POST /api/v1/apps/:key/records/aggregate      | 200    | -       | 422
GET /api/v1/apps/:key/records/:id             | 200    | 404     | 422
GET /api/v1/apps/:key/changes                 | 200    | -       | -
POST /api/v1/apps/:key/records                | 201    | 422     | 422
POST /api/v1/apps/:key/records/batch          | 200    | 404     | 422
PATCH /api/v1/apps/:key/records/:id           | 200    | 404     | 422
GET /api/v1/forms/:key/submissions            | 200    | -       | 422
POST /api/v1/forms/:key/submissions/search    | 200    | -       | 422
POST /api/v1/forms/:key/submissions/aggregate | 200    | -       | 422
GET /api/v1/forms/:key/changes                | 200    | -       | -
GET /api/v1/submissions/:id                   | 200    | 404     | 422
POST /api/v1/forms/:key/submissions           | 201    | 422     | 422
POST /api/v1/forms/:key/submissions/batch     | 200    | 404     | 422
POST /api/v1/forms/:key/submissions/validate  | 200    | 422     | 422
PATCH /api/v1/submissions/:id                 | 200    | 404     | 422
DELETE /api/v1/submissions/:id                | 204    | 404     | -
POST /api/v1/files                            | 201    | -       | 422
GET /api/v1/files/:id                         | 200    | 404     | -
DELETE /api/v1/files/:id                      | 204    | 404     | -
PUT /api/v1/files/:id/content                 | 200    | 404     | -
GET /api/v1/files/:id/content                 | 200    | 404     | -
POST /api/v1/files/:id/link                   | 200    | 404     | -
GET /api/v1/webhooks                          | 403    | -       | -
POST /api/v1/webhooks                         | 403    | -       | -
GET /api/v1/webhooks/:id                      | 403    | -       | -
PATCH /api/v1/webhooks/:id                    | 403    | -       | -
DELETE /api/v1/webhooks/:id                   | 403    | -       | -
GET /api/v1/webhooks/:id/deliveries           | 403    | -       | -
POST /api/v1/webhooks/:id/test                | 403    | -       | -
POST /api/v1/webhooks/:id/deliveries/:delivery/redeliver | 403 | -  | -
`;
