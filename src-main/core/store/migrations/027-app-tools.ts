/**
 * `tools`: whether the app may use the studio's MCP server. `tool_output`: the folder for what its tools make; null: none. `tool_inputs`: the
 * folders whose files they may read, as JSON. `app` of created items: the name of the app that made it; null: a person did.
 */
export const sql = `
ALTER TABLE tool_keys ADD COLUMN tools INTEGER NOT NULL DEFAULT 0 CHECK (tools IN (0, 1));
ALTER TABLE tool_keys ADD COLUMN tool_output TEXT;
ALTER TABLE tool_keys ADD COLUMN tool_inputs TEXT NOT NULL DEFAULT '[]';
ALTER TABLE drawings ADD COLUMN app TEXT;
ALTER TABLE speeches ADD COLUMN app TEXT;
ALTER TABLE recordings ADD COLUMN app TEXT;
`
