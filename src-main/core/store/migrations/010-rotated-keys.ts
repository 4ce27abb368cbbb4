/**
 * The previous key of an app after a rotation: the SHA-256 of its secret, and when the key stops working. The hash stays after that, so
 * that a program with the previous key learns that the key was replaced.
 */
export const sql = `
ALTER TABLE tool_keys ADD COLUMN previous_hash BLOB;
ALTER TABLE tool_keys ADD COLUMN previous_until TEXT;
`
