/** `adapt_requests`: whether two fields of the app's chat requests are changed to what the service reads. */
export const sql = `
ALTER TABLE tool_keys ADD COLUMN adapt_requests INTEGER NOT NULL DEFAULT 1 CHECK (adapt_requests IN (0, 1));
`
