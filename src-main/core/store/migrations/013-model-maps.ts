/** The model map of an app: a JSON list of rules, in order. */
export const sql = `
ALTER TABLE tool_keys ADD COLUMN model_map TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(model_map));
`
